import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { createFigure } from '../figure.ts';
import type { Figure } from '../figure.ts';

const dist = join(import.meta.dirname, '../../../packages/webhooks/dist');
const ADAPTERS = ['express', 'fastify', 'hono', 'next', 'lambda', 'node'];

/** Measures what each part adds to a bundle, minified and gzipped. */
export async function measureSize(): Promise<Figure[]> {
  const rows: [title: string, code: string, atMost?: number][] = [
    ['isValidSignature and sign', "export { isValidSignature, sign } from './index.js'", 2.5],
    ['createVerifier', "export { createVerifier } from './index.js'", 2.5],
    ['createVerifier of the edge', "export { createVerifier } from './edge.js'"],
    ['createReceiver', "export { createReceiver } from './index.js'"],
    ...ADAPTERS.map((name): [string, string, number] => [`/${name}`, `export * from './${name}.js'`, 0.7]),
    ['/redis', "export * from './redis.js'"],
    ['/postgres', "export * from './postgres.js'"],
  ];
  const figures: Figure[] = [];
  for (const [title, code, atMost] of rows) {
    const options = { unit: ' kB', ...(atMost !== undefined && { goal: { atMost } }) };
    figures.push(createFigure(`${title}: min+gzip`, [(await sizeOf(code)) / 1_000], options));
  }
  return figures;
}

async function sizeOf(contents: string): Promise<number> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: dist },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'node',
    write: false,
  });
  return gzipSync(outputFiles[0]?.contents ?? new Uint8Array(), { level: 9 }).byteLength;
}
