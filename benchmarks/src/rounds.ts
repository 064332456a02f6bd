/** How many rounds go by before anything counts: until then a runtime still compiles what it runs. */
export const WARM_UP = 4;

/** Is something to measure: runs once and returns a number, such as a time or a rate. */
export type Subject = () => Promise<number>;

/**
 * Measures subjects side by side: every round runs each of them once, in turning order, so that what the machine does
 * meanwhile falls on all alike. The first four rounds only warm up. Returns the numbers of each subject, round by round.
 */
export async function runRounds<Name extends string>(
  subjects: Readonly<Record<Name, Subject>>,
  rounds: number,
): Promise<Record<Name, number[]>> {
  const names = Object.keys(subjects) as Name[];
  const measured = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<Name, number[]>;
  for (let round = 0; round < WARM_UP + rounds; round += 1) {
    for (const turn of names.keys()) {
      const name = names[(turn + round) % names.length] as Name;
      const value = await subjects[name]();
      if (round >= WARM_UP) measured[name].push(value);
    }
  }
  return measured;
}

/** Divides number by number: the ratio of each round. */
export function ratios(of: readonly number[], to: readonly number[]): number[] {
  return of.map((value, round) => value / (to[round] ?? Number.NaN));
}
