// The workflows of the guide on Docker and CI.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

const root = join(import.meta.dirname, '..');
const guide = readFileSync(join(root, 'packages/mock/docs/docker-and-ci.md'), 'utf8');

describe('the workflows of the guide on Docker and CI', () => {
  it('wait for the health check of the container', () => {
    const workflows = [...guide.matchAll(/```yaml\n(.*?)```/gs)].map(([, text = '']) => text);
    const [service, step] = workflows.map((text) => parse(text) as unknown);
    expect(service).toMatchObject({
      jobs: { test: { services: { sandbox: { ports: ['4010:4010'] } }, steps: [{}, {}, {}] } },
    });
    expect(step).toEqual([{ run: expect.stringContaining('service-cli mock --accounts open') }]);
    const address = 'http://127.0.0.1:4010/_sandbox/health';
    for (const text of [JSON.stringify(step), readFileSync(join(root, 'packages/mock/Dockerfile'), 'utf8')]) {
      expect(text).toContain(address);
    }
  });
});
