// Cases without a test framework, so that every runtime can run them.

/** The runtimes of `npm run runtimes`. */
export const runtimeNames = [
  'node20',
  'node22',
  'node24',
  'node26',
  'deno',
  'bun',
  'workerd',
  'chromium',
] as const;

export type RuntimeName = (typeof runtimeNames)[number];

/** The runtime, and what the server of the cases offers it. */
export interface CaseContext {
  readonly runtime: RuntimeName;
  /** The URL of the server of the cases (`server.ts`). */
  readonly origin: string;
  /** The content of `same-answers.golden.txt`. */
  readonly golden: string;
}

/** A behavior of the packages. `run` throws if a package behaves otherwise. */
export interface Case {
  readonly name: string;
  readonly run: (context: CaseContext) => Promise<void> | void;
}

/** The result of a case. `error` is undefined if it passed. */
export interface CaseResult {
  readonly name: string;
  readonly error?: string | undefined;
}

/** Cases at the same time: fewer than the connections that a browser opens to one host. */
const CONCURRENCY = 4;
const TIME_LIMIT = 20_000;

/** Runs the cases, and continues after a failure. */
export async function runCases(cases: readonly Case[], context: CaseContext): Promise<CaseResult[]> {
  const queue = cases.values();
  const results: CaseResult[] = [];
  const work = async (): Promise<void> => {
    for (const { name, run } of queue) {
      const error = await runWithin(TIME_LIMIT, async () => run(context));
      results.push({ name, ...(error !== undefined && { error: format(error) }) });
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  return results;
}

/** Returns the error of a step, also if it does not end in time. */
async function runWithin(milliseconds: number, step: () => Promise<void>): Promise<unknown> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<Error>((resolve) => {
    timer = setTimeout(() => resolve(new Error(`The case took more than ${milliseconds} ms.`)), milliseconds);
  });
  const ended = step().then(
    () => undefined,
    (error: unknown) => error ?? new Error('The case threw no error.'),
  );
  return Promise.race([ended, late]).finally(() => clearTimeout(timer));
}

/**
 * Compares every field of `expected`. Patterns match texts.
 *
 * @throws {Error} with the path of the first difference
 */
export function assertMatch(actual: unknown, expected: unknown, path = 'value'): void {
  if (expected instanceof RegExp ? expected.test(String(actual)) : Object.is(actual, expected)) return;
  const isObject = typeof expected === 'object' && expected !== null && !(expected instanceof RegExp);
  if (!isObject || typeof actual !== 'object' || actual === null)
    throw new Error(`${path} is ${format(actual)} instead of ${format(expected)}`);
  if (Array.isArray(expected))
    assertMatch((actual as { length?: number }).length, expected.length, `${path}.length`);
  for (const [key, value] of Object.entries(expected))
    assertMatch((actual as Record<string, unknown>)[key], value, `${path}.${key}`);
}

const format = (value: unknown): string =>
  value instanceof RegExp || value instanceof Error
    ? String(value)
    : (JSON.stringify(value) ?? String(value));

/**
 * Returns the error of a rejected promise.
 *
 * @throws {Error} if the promise resolves
 */
export async function errorOf(promise: Promise<unknown>): Promise<Error> {
  const [result] = await Promise.allSettled([promise]);
  if (result.status === 'rejected') return result.reason as Error;
  throw new Error(`Expected a rejection, received ${format(result.value)}`);
}
