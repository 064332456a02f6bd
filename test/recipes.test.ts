// Holds what the recipes for tests show to the files that it comes from; other tests run those.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

const root = join(import.meta.dirname, '..');
const recipes = readFileSync(join(root, 'packages/mock/docs/testing.md'), 'utf8');

describe('the recipes for tests', () => {
  const shown = [...recipes.matchAll(/<!-- (examples\/\S+) -->\n\n```[tj]s\n(.*?)```/gs)].map(
    ([, path = '', code = '']) => [path, code] as const,
  );

  it('show each kind of test', () => {
    expect(shown.map(([path]) => path.replace('examples/testing/', ''))).toEqual([
      'vitest/payments.test.ts',
      'jest/payments.test.cjs',
      'vitest/msw.test.ts',
      'storybook/preview.ts',
      'storybook/checkout.stories.ts',
      'playwright/sandbox.ts',
      'playwright/payments.spec.ts',
    ]);
  });

  it.each(shown)('show %s as it is', (path, code) => {
    expect(code).toBe(readFileSync(join(root, path), 'utf8'));
  });

  it('lead to their own chapters', () => {
    const anchors = [...recipes.matchAll(/\]\(#([^)]+)\)/g)].map(([, anchor = '']) => anchor);
    const chapters = [...recipes.matchAll(/^## (.+)$/gm)].map(([, title = '']) =>
      title.toLowerCase().replaceAll(' ', '-'),
    );
    expect(anchors).toEqual(chapters);
  });

  it('lead to files that exist', () => {
    const links = [...recipes.matchAll(/\]\((\.[^)#]+)\)/g)].map(([, link = '']) => link);
    expect(links.length).toBeGreaterThan(0);
    expect(links.filter((link) => !existsSync(join(root, 'packages/mock/docs', link)))).toEqual([]);
  });

  it('are workflows that can be read, and wait for the address that the container is checked at', () => {
    const workflows = [...recipes.matchAll(/```yaml\n(.*?)```/gs)].map(([, text = '']) => text);
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
