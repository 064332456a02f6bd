// Measures @service/webhooks in one process and prints a markdown table; progress goes to stderr.
import { availableParallelism, cpus } from 'node:os';
import { toTable } from './figure.ts';
import type { Figure } from './figure.ts';
import { measureReceiver } from './webhooks/receiver.ts';
import { measureSize } from './webhooks/size.ts';
import { measureStore } from './webhooks/store.ts';
import { measureTiming } from './webhooks/timing.ts';
import { measureVerifier } from './webhooks/verifier.ts';

const benchmarkParts: Readonly<Record<string, () => Figure[] | Promise<Figure[]>>> = {
  verifier: measureVerifier,
  receiver: measureReceiver,
  store: measureStore,
  timing: measureTiming,
  size: measureSize,
};

const [requestedPart] = process.argv.slice(2);
process.stdout.write(`Node ${process.version}, ${availableParallelism()} of ${cpus().length} cores\n`);
for (const [name, measure] of Object.entries(benchmarkParts)) {
  if (requestedPart === undefined || requestedPart === name) {
    process.stderr.write(`measuring ${name}\n`);
    process.stdout.write(`\n## ${name}\n\n${toTable(await measure())}\n`);
  }
}
