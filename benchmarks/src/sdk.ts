// Compares the built @service/sdk with other clients and prints markdown tables; progress goes to stderr.
import { availableParallelism, cpus } from 'node:os';
import { type Figure, toTable } from './figure.ts';
import { measureInProcess, measureLoopback } from './sdk/calls.ts';
import { measureImport } from './sdk/import.ts';
import { measureSizes } from './sdk/size.ts';

const benchmarkParts: Readonly<Record<string, () => Promise<Figure[]>>> = {
  'in-process': measureInProcess,
  loopback: measureLoopback,
  import: measureImport,
  size: measureSizes,
};

const [requestedPart] = process.argv.slice(2);
process.stdout.write(`Node ${process.version}, ${availableParallelism()} of ${cpus().length} cores\n`);
for (const [name, measure] of Object.entries(benchmarkParts)) {
  if (requestedPart !== undefined && requestedPart !== name) continue;
  process.stderr.write(`measuring ${name}\n`);
  process.stdout.write(`\n## ${name}\n\n${toTable(await measure())}\n`);
}
