import type { Mode } from './entities.ts';

/** Result that a beneficiary account of the sandbox simulates. */
export type SandboxScenario = 'failing' | 'returning' | 'unavailable';

const scenarios: ReadonlyMap<string, SandboxScenario> = new Map([
  ['NL02ABNA0123456703', 'failing'],
  ['NL02ABNA0123456704', 'returning'],
  ['NL02ABNA0123456705', 'unavailable'],
]);

export function getSandboxScenario(mode: Mode, account: string | null): SandboxScenario | undefined {
  return mode === 'test' && account !== null ? scenarios.get(account) : undefined;
}
