import { readFileSync } from 'node:fs';
import { defineConfig } from 'tsup';

type Manifest = { name: string; exports: Record<string, unknown> };
const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as Manifest;

/** Source files that the exports map of the package names, so that the two cannot drift apart. */
const entries = Object.values(manifest.exports)
  .map((target) => (target as { '@service/source'?: string })['@service/source'])
  .filter((source) => source !== undefined);

const isCli = manifest.name === '@service/cli';
const shared = { target: 'node20' as const, sourcemap: true, treeshake: true, silent: true };
const dts = {
  resolve: manifest.name === '@service/contract' ? false : ['@service/contract'],
  compilerOptions: { composite: false, incremental: false, customConditions: ['@service/source'] },
};
const esmOnly = (entry: string): boolean => entry.endsWith('/msw.ts');

export default isCli
  ? defineConfig({ ...shared, entry: ['src/main.ts'], format: ['esm'], clean: true })
  : defineConfig([
      { ...shared, entry: entries.filter((e) => !esmOnly(e)), format: ['esm', 'cjs'], clean: true, dts },
      ...(entries.some(esmOnly)
        ? [{ ...shared, entry: entries.filter(esmOnly), format: ['esm' as const], dts }]
        : []),
    ]);
