/** Number of rounds without a measurement, while the runtime still compiles hot code. */
export const WARM_UP = 4;

/** A measurement: runs once and returns a number, such as a time or a rate. */
export type Subject = () => Promise<number>;

/**
 * Measures subjects side by side and returns the numbers of each, one per round. A round runs every subject once, in
 * rotating order, so that other load of the machine affects all subjects equally. The warm-up rounds are not returned.
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

/** Returns the ratio of each round. */
export function ratios(of: readonly number[], to: readonly number[]): number[] {
  return of.map((value, round) => value / (to[round] ?? Number.NaN));
}
