// Runs fault scenarios with full counts: all of them, or those that are named, as in `npm run faults -- gateway`.
import { runGateway } from './faults/gateway.ts';

/** Runs one scenario, prints its figures, and returns whether they are as they must be. */
export type Scenario = () => Promise<boolean>;

const scenarios: Readonly<Record<string, Scenario>> = {
  gateway: runGateway,
};

const names = process.argv.slice(2);
const unknown = names.filter((name) => !Object.hasOwn(scenarios, name));
if (unknown.length > 0) {
  console.error(`No scenario ${unknown.join(', ')}; there are: ${Object.keys(scenarios).join(', ')}.`);
  process.exit(2);
}
for (const [name, run] of Object.entries(scenarios)) {
  if (names.length > 0 && !names.includes(name)) continue;
  console.log(`\n── ${name}`);
  if (!(await run())) process.exitCode = 1;
}
