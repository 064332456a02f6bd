import { rmSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import type { BuildOptions } from 'esbuild';
import { defineConfig, type Options } from 'tsup';
import { joinChunks } from './chunks.ts';
import { createNotices } from './notices.ts';
import { listEntries } from './packed.ts';

const name = basename(process.cwd());
const entries = Object.entries(listEntries(name));
const pick = (wanted: (entry: string) => boolean): Record<string, string> =>
  Object.fromEntries(entries.filter(([entry]) => wanted(entry)));

// Once, before all: with several builds in one folder, tsup's own cleaning removes the output of another build.
rmSync('dist', { recursive: true, force: true });

const isCli = name === 'cli';
const isMock = name === 'mock';
const shared = {
  target: 'node20' as const,
  treeshake: true,
  removeNodeProtocol: false,
  // The packages contain code of each other from its source, so that their builds have no order.
  esbuildOptions(options: BuildOptions): void {
    // The mock contains its pages and documents.
    options.minifyWhitespace = isMock;
    // One file loads in 5 ms, the 80 CommonJS modules of the package in 32 ms: a quarter of the start of the mock.
    options.alias = { yaml: resolve(import.meta.dirname, '../node_modules/yaml/browser/index.js') };
    options.conditions = ['@service/source', 'module', ...(options.conditions ?? [])];
  },
  silent: true,
  esbuildPlugins: [createNotices('dist/NOTICES.md')],
  // An entry that names the package's main one means that one, not a copy of it.
  external: [`@service/${name}`],
  // The contract has zod as a dependency, which no other package needs.
  noExternal: [
    '@service/internal',
    '@service/dashboard',
    // One file in place of seven: its modules took 7 % of the start of `mock`.
    'commander',
    ...(name === 'contract' ? [] : [/^@service\/contract/]),
  ],
};
/** msw 3, vite and vitest are ESM only, and so are the entries for them. */
const isEsmOnly = (entry: string): boolean => ['msw', 'vite', 'vitest'].includes(entry);
/** Built separately: shared chunks would add code that only these entries need to a page with `createMock`, and the reverse. */
const isSeparate = (entry: string): boolean =>
  isEsmOnly(entry) || (isMock && ['next', 'profile'].includes(entry));
const separate = pick(isSeparate);
const together = pick((entry) => !isSeparate(entry));

/** Builds entries whose chunks are joined afterward. */
function joined(folder: string, entry: Record<string, string>, isOne: boolean): Options {
  return {
    ...shared,
    entry,
    format: ['esm'],
    splitting: true,
    esbuildOptions(options): void {
      shared.esbuildOptions(options);
      options.chunkNames = `${folder}/[name]-[hash]`;
    },
    onSuccess: () => joinChunks({ entries: Object.keys(entry), folder, isForNode: isCli, isOne }),
  };
}

const inEsm = (entry: Record<string, string>): Options => ({ ...shared, entry, format: ['esm'] });

export default isCli
  ? // Each command is a separate chunk, which is loaded only when it runs.
    defineConfig(joined('parts', { main: 'src/main.ts' }, false))
  : defineConfig([
      isMock ? joined('parts', together, true) : inEsm(together),
      {
        ...shared,
        entry: pick((entry) => !isEsmOnly(entry)),
        format: ['cjs'],
        // Without shared chunks, each entry of the mock would contain the whole mock and its pages.
        splitting: isMock,
        external: [`@service/${name}`, '../sandbox.openapi.json'],
      },
      ...(Object.keys(separate).length === 0
        ? []
        : [isMock ? joined('separate', separate, false) : inEsm(separate)]),
    ]);
