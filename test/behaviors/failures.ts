import { behaviors } from './all.ts';
import { createContext, type Settings } from './context.ts';

/** Returns the behaviors that fail with a profile. */
export async function findFailures(profile: Settings, { checked = behaviors } = {}): Promise<string[]> {
  const failures: string[] = [];
  for (const { name, run } of checked) {
    await run(createContext(profile)).catch((error: Error) => failures.push(`${name}: ${error.message}`));
  }
  return failures;
}
