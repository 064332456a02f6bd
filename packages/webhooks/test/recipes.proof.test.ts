// Compiles every sample of the guides against the packages that it imports, and runs it.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { childEnv } from '../../../test/support/child-env.ts';
import { readSamples } from './recipe-samples.ts';

const root = join(import.meta.dirname, '../../..');
const samples = readSamples('ts');

const titles = samples.map((code) => /(?:from|await import\() ?'(@service\/webhooks[^']*)'/.exec(code)?.[1]);

const folder = mkdtempSync(join(tmpdir(), 'guides-'));
afterAll(() => rmSync(folder, { recursive: true }));
symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
mkdirSync(join(folder, 'src'));
const files = samples.map((code, index) => {
  const file = join(folder, index === 0 ? 'src/webhooks.ts' : `src/sample-${index}.ts`);
  // A Next app resolves `@/` to its root folder.
  writeFileSync(file, code.replace("'@/webhooks'", "'./webhooks.ts'"));
  return file;
});
writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');

/** Runs a module with a secret in its environment. */
function run(words: readonly string[]): { readonly stdout: string; readonly stderr: string } {
  const env = { ...childEnv, SERVICE_WEBHOOK_SECRET: 'a secret of the tests' };
  const flags = ['--conditions=@service/source'];
  const { stdout, stderr } = spawnSync(process.execPath, [...flags, ...words], { encoding: 'utf8', env });
  return { stdout, stderr };
}

const silent = { stdout: '', stderr: '' };

/** Samples that connect to Redis and do not exit: recipes-stores.money.test.ts runs them. */
const isConnecting = titles.map((title) => title === '@service/webhooks/redis');

describe('the samples of the guides', () => {
  it('compile', { timeout: 60_000 }, () => {
    const config = {
      extends: join(root, 'test/tsconfig.json'),
      compilerOptions: { noUnusedLocals: false, typeRoots: [join(root, 'node_modules/@types')] },
      include: ['src'],
    };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
    const tsc = join(root, 'node_modules/@typescript/native/bin/tsc');
    const { stdout, status } = spawnSync(process.execPath, [tsc, '-p', folder], { encoding: 'utf8' });
    expect(stdout).toBe('');
    expect(status).toBe(0);
    expect(samples.length).toBeGreaterThan(9);
  });

  it('run', { timeout: 60_000 }, () => {
    const outputs = files.map((file, index) => [titles[index], isConnecting[index] ? silent : run([file])]);
    const testingOutput = { stdout: 'failed pay_test_4Zs81kQ0vYw2\n200\n', stderr: '' };
    expect(outputs).toEqual(
      titles.map((title) => [title, title === '@service/webhooks/testing' ? testingOutput : silent]),
    );
  });

  it('for Next and Lambda handle an event', () => {
    const [next, lambda] = ['/next', '/lambda'].map(
      (entry) => files[titles.indexOf(`@service/webhooks${entry}`)],
    );
    const driver = `
      import { events, signedRequest } from '@service/webhooks/testing';
      import { POST } from ${JSON.stringify(next)};
      import { handler } from ${JSON.stringify(lambda)};
      const secret = process.env.SERVICE_WEBHOOK_SECRET;
      console.log((await POST(await signedRequest(events.completed(), { secret }))).status);
      const request = await signedRequest(events.completed({ data: { id: 'pay_test_2' } }), { secret });
      const event = { httpMethod: 'POST', headers: Object.fromEntries(request.headers), body: await request.text() };
      console.log((await handler(event)).statusCode);
    `;
    writeFileSync(join(folder, 'src/driver.ts'), driver);
    const { stdout, stderr } = run([join(folder, 'src/driver.ts')]);
    expect(stderr).toBe('');
    expect(stdout).toBe('paid pay_test_4Zs81kQ0vYw2\n200\npaid pay_test_2\n200\n');
  });
});
