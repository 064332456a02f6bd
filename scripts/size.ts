// Holds the size of the client and of the webhooks to a limit: one that grows unseen is loaded by every page and worker.
import { bundles, sizeOf } from '../benchmarks/src/sdk/size.ts';
import { parts, sizeOf as sizeOfPart } from '../benchmarks/src/webhooks/size.ts';

/** In kB, minified and gzipped, where it is not the goal: what it weighs, see decisions/0024. */
const limits: Readonly<Record<string, number>> = {
  'the whole client': 26.7,
  'quotes alone': 13.2,
  createVerifier: 3.5,
};

for (const { title, code, goal } of bundles) judge(title, (await sizeOf(code)) / 1_000, goal);
for (const { title, code, goal } of parts) {
  if (goal !== undefined) judge(title, await sizeOfPart(code), goal);
}

function judge(title: string, size: number, goal: number): void {
  const limit = limits[title] ?? goal;
  console.log(`${title}: ${size.toFixed(2)} kB of at most ${limit} kB (goal: ${goal} kB)`);
  if (size > limit) process.exitCode = 1;
}
