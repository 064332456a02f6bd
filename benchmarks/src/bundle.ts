import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { createFigure, type Figure } from './figure.ts';

const BYTES = 1_000;

/** Measures the size that `createMock` adds to a page: bundled for browsers, minified, gzipped. */
export async function measureBundle(): Promise<Figure[]> {
  const { outputFiles, metafile } = await build({
    // A bare import of a package without side effects would bundle nothing.
    stdin: {
      contents: `export { createMock } from '@service/mock';`,
      resolveDir: fileURLToPath(new URL('.', import.meta.url)),
    },
    absWorkingDir: fileURLToPath(new URL('../..', import.meta.url)),
    bundle: true,
    minify: true,
    platform: 'browser',
    format: 'esm',
    metafile: true,
    write: false,
  });
  const [file] = outputFiles;
  const [output] = Object.values(metafile.outputs);
  if (file === undefined || output === undefined) throw new Error('esbuild returned no output file.');
  return [
    createFigure('Browser bundle: gzipped', [gzipSync(file.contents, { level: 9 }).byteLength / BYTES], {
      unit: ' kB',
      goal: { atMost: 25 },
    }),
    createFigure('Browser bundle: minified', [file.contents.byteLength / BYTES], { unit: ' kB' }),
    ...sumByPackage(output.inputs),
  ];
}

/** Sums the minified bytes of each package in the bundle. */
function sumByPackage(inputs: Readonly<Record<string, { readonly bytesInOutput: number }>>): Figure[] {
  const parts = new Map<string, number>();
  for (const [path, { bytesInOutput }] of Object.entries(inputs)) {
    const name = packageOf(path);
    parts.set(name, (parts.get(name) ?? 0) + bytesInOutput);
  }
  return [...parts].map(([name, bytes]) =>
    createFigure(`Browser bundle: part of ${name}, minified`, [bytes / BYTES], { unit: ' kB' }),
  );
}

function packageOf(path: string): string {
  return (
    /(?:node_modules\/(?!.*node_modules\/)((?:@[^/]+\/)?[^/]+)|packages\/[^/]+)/.exec(path)?.[0] ??
    'other modules'
  );
}
