/** A measured figure: the median of its rounds, their range, and an optional goal. */
export interface Figure {
  readonly name: string;
  readonly value: string;
  readonly goal?: { readonly text: string; readonly reached: boolean };
  readonly spread: string;
}

/** A minimum or maximum for a figure. */
export type Goal = { readonly atLeast: number } | { readonly atMost: number };

/** The unit and the goal of a figure. */
export interface FigureOptions {
  /**
   * The text after each number.
   *
   * @default ''
   */
  readonly unit?: string;
  readonly goal?: Goal;
}

/** Creates a figure from the results of several rounds. */
export function createFigure(
  name: string,
  rounds: readonly number[],
  { unit = '', goal }: FigureOptions = {},
): Figure {
  const median = medianOf(rounds);
  const isSpread = rounds.length > 1;
  return {
    name,
    value: `${format(median)}${unit}`,
    ...(goal !== undefined && { goal: checkGoal(median, goal, unit) }),
    spread: isSpread ? `${format(Math.min(...rounds))} to ${format(Math.max(...rounds))}` : 'one value',
  };
}

/** Returns the median. */
export function medianOf(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  const upper = sorted[sorted.length >> 1] ?? Number.NaN;
  const lower = sorted[(sorted.length - 1) >> 1] ?? Number.NaN;
  return (lower + upper) / 2;
}

/** Formats figures as a markdown table. */
export function toTable(figures: readonly Figure[]): string {
  const rows = figures.map(({ name, value, goal, spread }) => [
    name,
    value,
    goal?.text ?? '–',
    goal === undefined ? '–' : goal.reached ? 'yes' : 'no',
    spread,
  ]);
  const lines = [['figure', 'median', 'goal', 'reached', 'range'], Array(5).fill('---'), ...rows];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function checkGoal(median: number, goal: Goal, unit: string): { text: string; reached: boolean } {
  return 'atLeast' in goal
    ? { text: `at least ${goal.atLeast}${unit}`, reached: median >= goal.atLeast }
    : { text: `at most ${goal.atMost}${unit}`, reached: median <= goal.atMost };
}

function format(value: number): string {
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
}
