// Compares the code of the testing guides with its files. Other tests run the files.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

const root = join(import.meta.dirname, '..');
const pages = ['testing', 'test-reports', 'msw', 'storybook', 'playwright', 'docker-and-ci'];
const guide = pages
  .map((name) => readFileSync(join(root, `packages/mock/docs/${name}.md`), 'utf8'))
  .join('\n');

describe('the testing guides of the mock', () => {
  const blocks = [...guide.matchAll(/<!-- (examples\/\S+) -->\n\n```[tj]s\n(.*?)```/gs)].map(
    ([, path = '', code = '']) => [path, code] as const,
  );

  it('have an example for each test runner', () => {
    expect(blocks.map(([path]) => path.replace('examples/testing/', ''))).toEqual([
      'vitest/payments.test.ts',
      'jest/payments.test.cjs',
      'vitest/report.ts',
      'vitest/msw.test.ts',
      'storybook/preview.ts',
      'storybook/checkout.stories.ts',
      'playwright/sandbox.ts',
      'playwright/payments.spec.ts',
    ]);
  });

  it.each(blocks)('have the code of %s', (path, code) => {
    expect(code).toBe(readFileSync(join(root, path), 'utf8'));
  });

  it('have valid CI workflows that wait for the health check of the container', () => {
    const workflows = [...guide.matchAll(/```yaml\n(.*?)```/gs)].map(([, text = '']) => text);
    const [service, step] = workflows.map((text) => parse(text) as unknown);
    expect(service).toMatchObject({
      jobs: { test: { services: { sandbox: { ports: ['4010:4010'] } }, steps: [{}, {}, {}] } },
    });
    expect(step).toEqual([{ run: expect.stringContaining('service-cli mock --accounts open') }]);
    const address = 'http://127.0.0.1:4010/_sandbox/health';
    for (const text of [JSON.stringify(step), readFileSync(join(root, 'Dockerfile'), 'utf8')]) {
      expect(text).toContain(address);
    }
  });
});
