// Runs all fault experiments, or the named ones, and prints their figures: `npm run faults -- gateway payer`.
import { readdirSync } from 'node:fs';

const experiments = readdirSync(new URL('faults', import.meta.url))
  .filter((file) => file.endsWith('.ts'))
  .map((file) => file.slice(0, -'.ts'.length));
const names = process.argv.slice(2);
const unknown = names.filter((name) => !experiments.includes(name));
if (unknown.length > 0) {
  console.error(`Unknown experiment ${unknown.join(', ')}. Choose from: ${experiments.join(', ')}.`);
  process.exit(2);
}
for (const name of names.length > 0 ? names : experiments) {
  console.log(`\n── ${name}`);
  // An experiment runs on import, and sets the exit code to 1 if a figure is wrong.
  await import(`./faults/${name}.ts`);
}
