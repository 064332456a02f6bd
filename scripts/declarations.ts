// Bundles the declarations that `tsc -b` has written to `.tsc`: one file for each entry of a package, and shared chunks.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import { rollup, type Plugin } from 'rollup';
import { dts } from 'rollup-plugin-dts';
import { listEntries, root } from './packed.ts';

/** Returns a pattern of the packages whose declarations another one contains. The probe has types of the mock without it. */
function containedIn(name: string): RegExp {
  return name === 'probe'
    ? /^@service\/(internal|contract|mock)\b\/?(.*)$/
    : /^@service\/(internal|contract)\b\/?(.*)$/;
}

/** Returns the declarations of each entry of a package by the name of its output. */
function listDeclarations(name: string): Record<string, string> {
  const entries = Object.entries(listEntries(name)).map(([entry, source]) => {
    const path = source.replace(/\.ts$/, '.d.ts');
    const places = [path, path.replace('src/', '')].map((each) => join(root, '.tsc', name, each));
    return [entry, places.find((each) => existsSync(each)) ?? source] as const;
  });
  return Object.fromEntries(entries);
}

function createResolver(contained: RegExp): Plugin {
  return {
    name: 'declarations',
    resolveId(id, importer = '') {
      if (id.startsWith('.')) return resolve(importer, '..', id.replace(/\.tsx?$/, '.d.ts'));
      const [, name, subpath] = contained.exec(id) ?? [];
      return name === undefined ? null : listDeclarations(name)[subpath || 'index'];
    },
  };
}

/** Writes the declarations of a package to its `dist`, for ESM and CommonJS. */
export async function writeDeclarations(name: string): Promise<void> {
  const dir = join(root, 'packages', name, 'dist');
  const input = listDeclarations(name);
  if (Object.keys(input).length === 0) return;
  const contained = containedIn(name);
  const bundle = await rollup({
    input,
    // Not a pattern of a slash: a path of Windows has a drive.
    external: (id) => !id.startsWith('.') && !isAbsolute(id) && (name === 'contract' || !contained.test(id)),
    plugins: [createResolver(contained), dts({ tsconfig: join(root, 'tsconfig.base.json') })],
    onLog(_level, log) {
      // A type that only a shared chunk exports is visible to readers of the types all the same.
      if (!log.message.includes('no public re-export')) throw new Error(`${name}: ${log.message}`);
    },
  });
  const { output } = await bundle.write({
    dir,
    // The mock is disposable, and the libraries `es2023` and `dom` have no type for that.
    banner: name === 'mock' ? '/// <reference lib="esnext.disposable" />' : '',
    entryFileNames: '[name].d.ts',
    chunkFileNames: '[name]-[hash].d.ts',
    hoistTransitiveImports: false,
  });
  const { devDependencies: bundled = {} } = JSON.parse(
    readFileSync(join(root, 'packages', name, 'package.json'), 'utf8'),
  ) as { devDependencies?: Record<string, string> };
  for (const file of output) {
    if (file.type === 'asset') continue;
    const missing = file.imports.find((id) => Object.hasOwn(bundled, id.split('/')[0] ?? ''));
    if (missing !== undefined)
      throw new Error(`${name}: ${file.fileName} has types of ${missing}, which users do not install`);
    const code = file.code.replaceAll(/((?:from |import |import\()')(\.[^']+)\.js(?=')/g, '$1$2.cjs');
    writeFileSync(join(dir, file.fileName.replace(/\.ts$/, '.cts')), code);
  }
}
