import { behaviors } from './all.ts';
import { createContext, type Settings } from './context.ts';

/** Returns the behaviors that fail with a profile. */
export async function findFailures(
  profile: Settings,
  { checked = behaviors, hasReader = false } = {},
): Promise<string[]> {
  const failures: string[] = [];
  for (const { name, run } of checked) {
    await run(createContext(profile, { hasReader })).catch((error: Error) =>
      failures.push(`${name}: ${error.message}`),
    );
  }
  return failures;
}
