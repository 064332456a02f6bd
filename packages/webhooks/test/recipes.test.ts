// Compiles every sample of the recipes against the packages that it names.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';

const root = join(import.meta.dirname, '../../..');
const recipes = readFileSync(join(root, 'packages/webhooks/RECIPES.md'), 'utf8');
const samples = [...recipes.matchAll(/```ts\n(.*?)```/gs)].map(([, code = '']) => code);

it('shows samples that compile', { timeout: 60_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'recipes-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  mkdirSync(join(folder, 'src'));
  const [receiver = '', ...others] = samples;
  writeFileSync(join(folder, 'src/webhooks.ts'), receiver);
  for (const [index, code] of others.entries()) writeFileSync(join(folder, `src/sample-${index}.ts`), code);
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  const config = {
    extends: join(root, 'tsconfig.test.json'),
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
