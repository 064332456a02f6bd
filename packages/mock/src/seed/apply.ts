import { describeUnknown, redactKeys, toMilliseconds } from '@service/internal';
import type { Mode } from '@service/contract';
import { wallets } from '../control/operations/wallets.ts';
import { type FaultOptions, faults } from '../control/operations/faults.ts';
import { accounts } from '../control/operations/accounts.ts';
import { webhooks } from '../control/operations/webhooks.ts';
import { payments } from '../control/operations/payments.ts';
import { bindGroup, type Context } from '../control/operation.ts';
import * as s from '../domain/schema.ts';
import { SandboxError } from '../state/sandbox-error.ts';
import { type SandboxSeed, type SeedAccount, seedFields, type SeedPayment } from './seed.ts';

const seedSchema = s.strict(seedFields, { expected: 'an object with named fields' });

/**
 * Checks the fields of a seed.
 *
 * @throws {SandboxError} that names each invalid or unknown field
 */
export function checkSeed(seed: unknown): asserts seed is SandboxSeed {
  const problems = s
    .check(seedSchema, seed)
    .problems.map((each) => s.formatProblem(each).replace(/^has /, 'the seed has '));
  if (problems.length > 0) throw createSeedError(problems);
}

/** The names and indexes that lead to a value of a seed. */
type SeedPath = s.Problem['path'];

/** Creates the error of a seed, which lists all problems. */
function createSeedError(problems: readonly string[]): SandboxError {
  const title = `The seed has ${problems.length === 1 ? 'a problem' : `${problems.length} problems`}:`;
  const lines = problems.map((problem) => `  ${redactKeys(problem)}`);
  return new SandboxError('invalid_argument', [title, ...lines].join('\n'));
}

/** Injects the faults of a seed, which are not part of the state. */
export function applyStanding(parts: Context): void {
  for (const fault of parts.standing) bindGroup(faults, parts).inject(fault as FaultOptions);
}

/**
 * Applies a seed to an empty sandbox with a manual clock, with the operations of the sandbox.
 *
 * @param now the time of the sandbox afterwards, in milliseconds since 1970
 * @throws {SandboxError} that names the first field that an operation rejects
 */
export function applySeed(context: Context, seed: SandboxSeed, now: number): void {
  const ids = new Map<string, string>();
  for (const [index, account] of (seed.accounts ?? [{ name: 'default' }]).entries())
    ids.set(account.name, applyAccount(context, account, ['accounts', index], now));
  context.standing = (seed.faults ?? []).map(({ account: name, ...options }, index) => {
    const path = ['faults', index];
    const account = name === undefined ? undefined : ids.get(name);
    if (name !== undefined && account === undefined)
      throw createPathError([...path, 'account'], describeUnknown(name, [...ids.keys()]));
    const fault = { ...options, ...(account !== undefined && { account }) } as FaultOptions;
    runAt(path, () => bindGroup(faults, context).inject(fault));
    return fault;
  });
}

/** Creates an account with its payments and endpoints, and returns its id. */
function applyAccount(context: Context, given: SeedAccount, path: SeedPath, now: number): string {
  const { endpoint, payments: list = [], live = {}, suspended, ...options } = given;
  const oldest = Math.max(0, ...[...list, ...(live.payments ?? [])].map(readAge));
  context.state.clock.restart(Math.max(0, now - oldest), []);
  const { id: account } = runAt(path, () => bindGroup(accounts, context).create(options));
  const { credit, set } = bindGroup(wallets, context);
  for (const [currency, amount] of Object.entries(live.balances ?? {}))
    runAt([...path, 'live', 'balances', currency], () =>
      (Number(amount) === 0 ? set : credit)({ account, mode: 'live', currency, amount }),
    );
  applyMode(context, { account, mode: 'test' }, { endpoint, payments: list }, path, now);
  applyMode(context, { account, mode: 'live' }, live, [...path, 'live'], now);
  if (suspended) bindGroup(accounts, context).suspend(account);
  return account;
}

/** Creates the payments of a mode in the order of time, which is that of ids and rows, and sets its endpoint. */
function applyMode(
  context: Context,
  target: { readonly account: string; readonly mode: Mode },
  { endpoint, payments: list = [] }: NonNullable<SeedAccount['live']>,
  path: SeedPath,
  now: number,
): void {
  const { clock } = context.state;
  for (const [index, each] of [...list.entries()].toSorted(([, a], [, b]) => readAge(b) - readAge(a))) {
    const { age: _, ...payment } = each;
    clock.restart(Math.max(0, now - readAge(each)), []);
    runAt([...path, 'payments', index], () => bindGroup(payments, context).create({ ...payment, ...target }));
  }
  clock.restart(now, []);
  // Set last, so that the payments send no events.
  if (endpoint !== undefined)
    runAt([...path, 'endpoint', 'url'], () =>
      bindGroup(webhooks, context).setEndpoint({ ...endpoint, ...target }),
    );
}

/** Returns the time from the create of a payment to the start of the clock, in milliseconds. */
function readAge({ age = 0 }: SeedPayment): number {
  return toMilliseconds(age);
}

/** Runs an operation for the value at a path of the seed. */
function runAt<Result>(path: SeedPath, run: () => Result): Result {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof SandboxError)) throw error;
    // A seed file has no calls.
    throw createPathError(path, error.message.replace(/^\w+\.\w+(?: of \w+)?: /, ''));
  }
}

function createPathError(path: SeedPath, problem: string): SandboxError {
  return createSeedError([`${s.formatPath(path)}: ${problem}`]);
}
