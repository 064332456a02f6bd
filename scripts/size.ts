// Fails if the client, the webhooks package or the mock is larger than its limit: pages and workers load them.
import { bundles, sizeOf } from '../benchmarks/src/sdk/size.ts';
import { parts, sizeOf as sizeOfPart } from '../benchmarks/src/webhooks/size.ts';

/** Limits in kB, minified and gzipped, of bundles above or without a goal (decisions/0024-client-size-and-call-time.md). */
const limits: Readonly<Record<string, number>> = {
  'the whole client': 25.5,
  'quotes only': 13.4,
  'payments only': 24.8,
  'balances only': 12.8,
  'transactions only': 16.7,
  'the whole client with createApi': 28.5,
  createVerifier: 3.7,
  // decisions/0019-seed-files.md
  createMock: 61.7,
};

/** A page that runs a mock loads it. */
const mock = { title: 'createMock', code: `export { createMock } from '@service/mock';`, goal: 35 };

for (const { title, code, goal } of [...bundles, mock]) checkSize(title, (await sizeOf(code)) / 1_000, goal);
for (const { title, code, goal } of parts) {
  if (goal !== undefined) checkSize(title, await sizeOfPart(code), goal);
}

function checkSize(title: string, size: number, goal: number | undefined): void {
  const limit = limits[title] ?? goal ?? 0;
  const goalText = goal === undefined ? '' : ` (goal: ${goal} kB)`;
  console.log(`${title}: ${size.toFixed(2)} kB of at most ${limit} kB${goalText}`);
  if (size > limit) process.exitCode = 1;
}
