import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { createFigure } from '../figure.ts';
import type { Figure } from '../figure.ts';

const dist = join(import.meta.dirname, '../../../packages/webhooks/dist');

/** An import to bundle. `goal` is the maximum size in kB. */
export interface Part {
  readonly title: string;
  readonly code: string;
  readonly goal?: number;
}

const ADAPTERS = [
  ['express', 'toExpress'],
  ['fastify', 'toFastify'],
  ['hono', 'toHono'],
  ['next', 'toAppRouter'],
  ['next', 'toPagesRouter'],
  ['lambda', 'toLambda'],
  ['node', 'toNode'],
] as const;

/** The measured imports. */
export const parts: readonly Part[] = [
  {
    title: 'isValidSignature and sign',
    code: "export { isValidSignature, sign } from './index.js'",
    goal: 2.5,
  },
  { title: 'createVerifier', code: "export { createVerifier } from './index.js'", goal: 2.5 },
  { title: 'createVerifier of the edge', code: "export { createVerifier } from './edge.js'" },
  { title: 'createReceiver', code: "export { createReceiver } from './index.js'" },
  ...ADAPTERS.map(([entry, name]) => ({
    title: `/${entry}, ${name}`,
    code: `export { ${name} } from './${entry}.js'`,
    goal: 0.7,
  })),
  { title: '/redis', code: "export * from './redis.js'" },
  { title: '/postgres', code: "export * from './postgres.js'" },
];

/** Measures the minified and gzipped size that each import adds to a bundle. */
export async function measureSize(): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const { title, code, goal } of parts) {
    const options = { unit: ' kB', ...(goal !== undefined && { goal: { atMost: goal } }) };
    figures.push(createFigure(`${title}: min+gzip`, [await sizeOf(code)], options));
  }
  return figures;
}

/** Bundles a module, and returns its minified and gzipped size in kB. */
export async function sizeOf(contents: string): Promise<number> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: dist },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'node',
    logLevel: 'error',
    write: false,
  });
  return gzipSync(outputFiles[0]?.contents ?? new Uint8Array(), { level: 9 }).byteLength / 1_000;
}
