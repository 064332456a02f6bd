import { copyOwn, isRecord } from '../values/json.ts';
import { describeUnknown } from './nearest.ts';

/** Makes the error of what is refused. */
export type Refuse = (message: string) => Error;

/** Says what a value must be, and reads it: undefined where it is none of that. */
export type Rule<T = unknown> = readonly [what: string, read: (value: unknown) => T | undefined];

/** Holds a rule for each name that an object may have. */
export type Rules = Readonly<Record<string, Rule>>;

/** Holds the rules for an object, what that is in a message, and the error of one that breaks them. */
export type Table<All extends Rules = Rules> = {
  readonly what: string;
  readonly rules: All;
  readonly refuse: Refuse;
};

/** Holds what a table of rules reads: a value, or undefined where none was given. */
export type Checked<All extends Rules> = {
  readonly [Name in keyof All]: All[Name] extends Rule<infer T> ? T | undefined : never;
};

/**
 * Reads an object by a table: each value once, none of a polluted prototype.
 *
 * @throws what `refuse` makes, for a name that the table does not know and for the first value that is not as its rule says.
 */
export function checkAll<All extends Rules>(value: unknown, table: Table<All>): Checked<All> {
  const given = pickKnown(value, table);
  const read: Record<string, unknown> = {};
  for (const name of Object.keys(table.rules)) {
    read[name] = given[name] === undefined ? undefined : check(name, given[name], table);
  }
  return read as Checked<All>;
}

/** Copies an object. @throws what `refuse` makes, for a name that the table does not know */
export function pickKnown(value: unknown, { what, rules, refuse }: Table): Record<string, unknown> {
  if (!isRecord(value)) throw refuse(`${what} must be an object with named fields.`);
  for (const name of Object.keys(value)) {
    if (!Object.hasOwn(rules, name)) throw refuse(describeUnknown(name, Object.keys(rules)));
  }
  return copyOwn(value);
}

/** Reads a value by its rule. @throws what `refuse` makes */
export function check(name: string, value: unknown, { rules, refuse }: Table): unknown {
  const [what, read] = rules[name] as Rule;
  const result = read(value);
  if (result === undefined) throw refuse(`${name} must be ${what}.`);
  return result;
}

/** Reads a whole number in bounds. */
export function count(most: number, least = 0): Rule<number> {
  const isCount = (value: unknown): value is number => Number.isInteger(value) && (value as number) >= least;
  return [
    `a whole number from ${least}${most < Number.MAX_SAFE_INTEGER ? ` to ${most}` : ''}`,
    (value) => (isCount(value) && value <= most ? value : undefined),
  ];
}

/** Reads a choice of words. */
export function choice<const T extends string>(...words: readonly T[]): Rule<T> {
  return [words.map((word) => `'${word}'`).join(' or '), (value) => words.find((word) => word === value)];
}

/** Reads true or false. */
export const flag: Rule<boolean> = [
  'true or false',
  (value) => (typeof value === 'boolean' ? value : undefined),
];

/** Reads a function, of whatever kind is asked for. */
export function callable<T>(): Rule<T> {
  return ['a function', (value) => (typeof value === 'function' ? (value as T) : undefined)];
}

/** Reads a span that a timer can measure: one set for longer than 2^31 - 1 ms goes off at once. */
export const span: Rule<number> = [
  'a number of milliseconds, more than 0 and at most 2147483647',
  (value) => (typeof value === 'number' && value > 0 && value <= 2_147_483_647 ? value : undefined),
];

/** Reads an abort signal, of whatever realm. */
export const abortSignal: Rule<AbortSignal> = [
  'an AbortSignal; pass `controller.signal`',
  (value) => (isSignal(value) ? value : undefined),
];

function isSignal(value: unknown): value is AbortSignal {
  return (
    isRecord(value) && typeof value.aborted === 'boolean' && typeof value.removeEventListener === 'function'
  );
}
