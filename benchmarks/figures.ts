// Rounds of measurements, and their tables.
import { availableParallelism } from 'node:os';

/** Rounds without a measurement, while the runtime still compiles hot code. */
export const WARM_UP = 4;

/** A measurement: runs once and returns a number, such as a time or a rate. */
export type Subject = () => Promise<number>;

/** Measures subjects side by side. A round runs each once, in rotating order, so that other load affects all equally. */
export async function runRounds<Name extends string>(
  subjects: Readonly<Record<Name, Subject>>,
  rounds: number,
): Promise<Record<Name, number[]>> {
  const names = Object.keys(subjects) as Name[];
  const measured = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<Name, number[]>;
  for (let round = 0; round < WARM_UP + rounds; round += 1)
    for (const turn of names.keys()) {
      const name = names[(turn + round) % names.length] as Name;
      const value = await subjects[name]();
      if (round >= WARM_UP) measured[name].push(value);
    }
  return measured;
}

/** Returns the ratio of each round. */
export const ratios = (of: readonly number[], to: readonly number[]): number[] =>
  of.map((value, round) => value / (to[round] ?? Number.NaN));

/** Returns the median. */
export function medianOf(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return ((sorted[sorted.length >> 1] ?? Number.NaN) + (sorted[(sorted.length - 1) >> 1] ?? Number.NaN)) / 2;
}

const format = (value: number): string => value.toFixed(value >= 100 ? 0 : value >= 10 ? 1 : 2);

/** Prints the rows of a table. */
export function printTable(head: readonly string[], rows: readonly (readonly unknown[])[]): void {
  const lines = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |\n`);
  process.stdout.write(`\n${lines.join('')}`);
}

/** Prints the median and the range of each figure. */
export function printFigures(title: string, figures: Readonly<Record<string, readonly number[]>>): void {
  process.stdout.write(`\n## ${title}, Node ${process.version}, ${availableParallelism()} cores\n`);
  const rows = Object.entries(figures).map(([name, values]) => [
    name,
    format(medianOf(values)),
    values.length > 1 ? `${format(Math.min(...values))} to ${format(Math.max(...values))}` : 'one value',
  ]);
  printTable(['figure', 'median', 'range'], rows);
}

/**
 * Returns a subject that measures the processor time of sequential calls after a minor garbage collection, in
 * microseconds per call. Other programs on the machine change it less than the wall clock.
 */
export function timeCalls(calls: number, call: () => unknown): Subject {
  return async () => {
    globalThis.gc?.({ type: 'minor' });
    const start = process.cpuUsage();
    for (let index = 0; index < calls; index += 1) await call();
    const { user, system } = process.cpuUsage(start);
    return (user + system) / calls;
  };
}
