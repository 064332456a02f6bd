import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { createFigure, type Figure } from '../figure.ts';

/** Measures the size that the client adds to a page: bundled, minified, gzipped, with openapi-fetch if it is imported. */
export async function measureSizes(): Promise<Figure[]> {
  const sizes: Figure[] = [];
  for (const { title, code, goal } of bundles) {
    const kilobytes = (await sizeOf(code)) / 1_000;
    sizes.push(
      createFigure(`Bundle: ${title}, gzipped`, [kilobytes], {
        unit: ' kB',
        ...(goal !== undefined && { goal: { atMost: goal } }),
      }),
    );
  }
  return sizes;
}

/** An import to bundle. `goal` is the maximum size in kB. */
export interface Bundle {
  readonly title: string;
  readonly code: string;
  readonly goal?: number;
}

/** The measured bundles. */
export const bundles: readonly Bundle[] = [
  { title: 'the whole client', code: `export { createClient } from '@service/sdk';`, goal: 9 },
  { title: 'quotes only', code: `export { createQuotes } from '@service/sdk/quotes';`, goal: 5 },
  { title: 'payments only', code: `export { createPayments } from '@service/sdk/payments';` },
  { title: 'balances only', code: `export { createBalances } from '@service/sdk/balance';` },
  { title: 'transactions only', code: `export { createTransactions } from '@service/sdk/transactions';` },
  {
    title: 'the whole client with createApi',
    code: `export { createClient } from '@service/sdk'; export { createApi } from '@service/sdk/api';`,
  },
];

/** Bundles a module for browsers, and returns its minified and gzipped size in bytes. */
export async function sizeOf(contents: string): Promise<number> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: fileURLToPath(new URL('.', import.meta.url)) },
    bundle: true,
    minify: true,
    platform: 'browser',
    format: 'esm',
    target: 'es2022',
    logLevel: 'error',
    write: false,
  });
  return gzipSync(outputFiles[0]?.contents ?? new Uint8Array(), { level: 9 }).byteLength;
}
