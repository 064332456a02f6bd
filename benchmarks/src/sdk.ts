// Measures @service/sdk, as it is built, beside the clients that it is compared with, and prints markdown tables; what it is
// doing meanwhile goes to stderr.
import { availableParallelism, cpus } from 'node:os';
import { type Figure, toTable } from './figure.ts';
import { measureInProcess, measureLoopback } from './sdk/calls.ts';
import { measureImport } from './sdk/import.ts';
import { measureSizes } from './sdk/size.ts';

const PARTS: Readonly<Record<string, () => Promise<Figure[]>>> = {
  'in-process': measureInProcess,
  loopback: measureLoopback,
  import: measureImport,
  size: measureSizes,
};

const [asked] = process.argv.slice(2);
process.stdout.write(`Node ${process.version}, ${availableParallelism()} of ${cpus().length} cores\n`);
for (const [name, measure] of Object.entries(PARTS)) {
  if (asked !== undefined && asked !== name) continue;
  process.stderr.write(`measuring ${name}\n`);
  process.stdout.write(`\n## ${name}\n\n${toTable(await measure())}\n`);
}
