import { readFileSync, rmSync } from 'node:fs';
import { defineConfig } from 'tsup';

interface Manifest {
  name: string;
  exports: Record<string, unknown>;
}
const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as Manifest;

/** Entries by their name in the exports map of the package, so that the two cannot drift apart. */
const entries = Object.entries(manifest.exports).flatMap(([subpath, target]) => {
  const source = (target as { '@service/source'?: string })['@service/source'];
  return source === undefined ? [] : [[subpath === '.' ? 'index' : subpath.slice(2), source] as const];
});
const pick = (wanted: (name: string) => boolean): Record<string, string> =>
  Object.fromEntries(entries.filter(([name]) => wanted(name)));

// Once, before all: with several builds in one folder, tsup's own cleaning removes the output of another build.
rmSync('dist', { recursive: true, force: true });

const isCli = manifest.name === '@service/cli';
const shared = {
  target: 'node20' as const,
  treeshake: true,
  removeNodeProtocol: false,
  // The packages contain code of each other from its source, so that their builds have no order.
  esbuildOptions(options: { conditions?: string[]; minifyWhitespace?: boolean }): void {
    // The mock contains its pages and documents.
    options.minifyWhitespace = manifest.name === '@service/mock';
    options.conditions = ['@service/source', 'module', ...(options.conditions ?? [])];
  },
  silent: true,
  // An entry that names the package's main one means that one, not a copy of it.
  external: [manifest.name],
  // The contract has zod as a dependency, which no other package needs.
  noExternal: [
    '@service/internal',
    '@service/dashboard',
    ...(manifest.name === '@service/contract' ? [] : [/^@service\/contract/]),
  ],
};
/** msw 3, vite and vitest are ESM only, and so are the entries for them. */
const isEsmOnly = (name: string): boolean => ['msw', 'vite', 'vitest'].includes(name);
const esmOnly = pick(isEsmOnly);
/** Built separately: shared chunks would add code that only these entries need to a page with `createMock` or `createClient`. */
const isSeparate = (name: string): boolean => `${manifest.name}/${name}` === '@service/mock/next';
const separate = pick(isSeparate);

export default isCli
  ? // Each command is a separate chunk, which is loaded only when it runs.
    defineConfig({ ...shared, entry: ['src/main.ts'], format: ['esm'], splitting: true })
  : defineConfig([
      {
        ...shared,
        entry: pick((name) => !isEsmOnly(name) && !isSeparate(name)),
        format: ['esm', 'cjs'],
      },
      ...(Object.keys(separate).length > 0
        ? [{ ...shared, entry: separate, format: ['esm' as const, 'cjs' as const] }]
        : []),
      ...(Object.keys(esmOnly).length > 0 ? [{ ...shared, entry: esmOnly, format: ['esm' as const] }] : []),
    ]);
