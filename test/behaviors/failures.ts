import { behaviors } from './all.ts';
import { createContext, type Settings } from './context.ts';

/** Returns whether pages count from 0. Only the reader of the profile tells this to a client. */
function countsFromZero({ pagination }: Settings): boolean {
  return typeof pagination === 'object' && pagination.first === 0;
}

/** Returns the behaviors that fail with a profile. */
export async function findFailures(
  profile: Settings,
  { checked = behaviors, hasReader = countsFromZero(profile) } = {},
): Promise<string[]> {
  const failures: string[] = [];
  for (const { name, run } of checked) {
    await run(createContext(profile, { hasReader })).catch((error: Error) =>
      failures.push(`${name}: ${error.message}`),
    );
  }
  return failures;
}
