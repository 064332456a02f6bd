// Holds the size of the client to a limit: one that grows unseen is loaded by every page.
import { bundles, sizeOf } from '../benchmarks/src/sdk/size.ts';

/** In kB, minified and gzipped; what it weighs, see decisions/0024. */
const limits: Readonly<Record<string, number>> = { 'the whole client': 18.2, 'quotes alone': 11.3 };

for (const { title, code, goal } of bundles) {
  const size = (await sizeOf(code)) / 1_000;
  const limit = limits[title] ?? goal;
  console.log(`${title}: ${size.toFixed(2)} kB of at most ${limit} kB (goal: ${goal} kB)`);
  if (size > limit) process.exitCode = 1;
}
