/** Holds one measured figure, its goal where it has one, and how far its rounds lay apart. */
export interface Figure {
  readonly name: string;
  readonly value: string;
  readonly goal?: { readonly text: string; readonly reached: boolean };
  readonly spread: string;
}

/** Is a goal on one side of a limit: a figure must be at least, or at most, so much. */
export type Goal = { readonly atLeast: number } | { readonly atMost: number };

/** Sets up a figure. */
export interface FigureOptions {
  /** Written after each number. Default none. */
  readonly unit?: string;
  readonly goal?: Goal;
}

/** Makes a figure of what several rounds measured: their median, and the least and the most as its spread. */
export function createFigure(
  name: string,
  rounds: readonly number[],
  { unit = '', goal }: FigureOptions = {},
): Figure {
  const median = medianOf(rounds);
  const isSpread = rounds.length > 1;
  return {
    name,
    value: `${round(median)}${unit}`,
    ...(goal !== undefined && { goal: judge(median, goal, unit) }),
    spread: isSpread ? `${round(Math.min(...rounds))} to ${round(Math.max(...rounds))}` : 'one value',
  };
}

/** Returns the middle of some numbers. */
export function medianOf(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  const upper = sorted[sorted.length >> 1] ?? Number.NaN;
  const lower = sorted[(sorted.length - 1) >> 1] ?? Number.NaN;
  return (lower + upper) / 2;
}

/** Writes figures as a markdown table. */
export function toTable(figures: readonly Figure[]): string {
  const rows = figures.map(({ name, value, goal, spread }) => [
    name,
    value,
    goal?.text ?? '–',
    goal === undefined ? '–' : goal.reached ? 'yes' : 'no',
    spread,
  ]);
  const lines = [['figure', 'median', 'goal', 'reached', 'least to most'], Array(5).fill('---'), ...rows];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function judge(median: number, goal: Goal, unit: string): { text: string; reached: boolean } {
  return 'atLeast' in goal
    ? { text: `at least ${goal.atLeast}${unit}`, reached: median >= goal.atLeast }
    : { text: `at most ${goal.atMost}${unit}`, reached: median <= goal.atMost };
}

function round(value: number): string {
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
}
