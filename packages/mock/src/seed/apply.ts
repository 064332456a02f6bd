import { describeUnknown, redactKeys, toMilliseconds } from '@service/internal';
import type { Mode } from '@service/contract';
import { readAmountOf, wallets } from '../control/operations/wallets.ts';
import { type FaultOptions, readFault, faults } from '../control/operations/faults.ts';
import { accounts } from '../control/operations/accounts.ts';
import { webhooks } from '../control/operations/webhooks.ts';
import { payments } from '../control/operations/payments.ts';
import { bindGroup, type Context } from '../control/operation.ts';
import { applyChoice } from '../domain/profile.ts';
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
export function createSeedError(problems: readonly string[]): SandboxError {
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
 * @throws {SandboxError} that names each field that an operation rejects
 */
export function applySeed(context: Context, seed: SandboxSeed, now: number): void {
  const problems: string[] = [];
  /** Runs an operation for the value at a path. */
  const attempt: Attempt = (path, run) => {
    try {
      return run();
    } catch (error) {
      if (!(error instanceof SandboxError)) throw error;
      // A seed file has no calls.
      problems.push(`${s.formatPath(path)}: ${error.message.replace(/^\w+\.\w+(?: of \w+)?: /, '')}`);
      return undefined;
    }
  };
  const ids = new Map<SeedAccount, string>();
  const modes = (seed.accounts ?? [{ name: 'default' }]).flatMap(listModes);
  const created = modes.flatMap(listPayments).toSorted((a, b) => b.age - a.age);
  // The rows and ids of an account are in the order of time.
  const moveBack = (age: number): void => context.state.clock.restart(Math.max(0, now - age), []);
  moveBack(created[0]?.age ?? 0);
  for (const each of modes) openWallets(context, { ...each, ids, attempt });
  for (const { account: owner, mode, payment, age, path } of created) {
    moveBack(age);
    const account = ids.get(owner);
    if (account !== undefined)
      attempt(path, () => bindGroup(payments, context).create({ ...payment, account, mode }));
  }
  moveBack(0);
  // Endpoints are set last, so that the payments of the seed send no events.
  for (const { account: owner, mode, given, path } of modes) {
    const [account, { endpoint }] = [ids.get(owner), given];
    if (account === undefined) continue;
    if (endpoint !== undefined)
      attempt([...path, 'endpoint', 'url'], () =>
        bindGroup(webhooks, context).setEndpoint({ ...endpoint, account, mode }),
      );
    if (owner.suspended) bindGroup(accounts, context).suspend(account);
  }
  const names = new Map([...ids].map(([{ name }, id]) => [name, id]));
  const resolved = (seed.faults ?? []).map(({ account: name, ...options }, index) => {
    const path = ['faults', index];
    const account = name === undefined ? undefined : names.get(name);
    if (name !== undefined && account === undefined)
      problems.push(`${s.formatPath([...path, 'account'])}: ${describeUnknown(name, [...names.keys()])}`);
    const fault = { ...options, ...(account !== undefined && { account }) } as FaultOptions;
    attempt(path, () => readFault(fault));
    return fault;
  });
  if (problems.length > 0) throw createSeedError(problems);
  context.standing = resolved;
  applyStanding(context);
}

type Attempt = <T>(path: SeedPath, run: () => T) => T | undefined;

/** One mode of an account of a seed. */
interface SeededMode {
  readonly account: SeedAccount;
  readonly mode: Mode;
  readonly given: NonNullable<SeedAccount['live']>;
  readonly path: SeedPath;
}

function listModes(account: SeedAccount, index: number): SeededMode[] {
  const path = ['accounts', index];
  return [
    { account, path, mode: 'test', given: account },
    { account, path: [...path, 'live'], mode: 'live', given: account.live ?? {} },
  ];
}

/** Lists the payments of a mode, with the time from the create of each to the start of the clock in milliseconds. */
function listPayments(
  seeded: SeededMode,
): (SeededMode & { readonly payment: Omit<SeedPayment, 'age'>; readonly age: number })[] {
  return (seeded.given.payments ?? []).map(({ age = 0, ...payment }, index) => ({
    ...seeded,
    payment,
    age: toMilliseconds(age),
    path: [...seeded.path, 'payments', index],
  }));
}

/** One mode of an account of a seed, and the ids of the accounts so far. */
type OpenedMode = SeededMode & { readonly ids: Map<SeedAccount, string>; readonly attempt: Attempt };

/** Creates the account, or opens its wallets of live mode. */
function openWallets(context: Context, seeded: OpenedMode): void {
  const { account, mode, given, path, ids, attempt } = seeded;
  const profile = applyChoice(context.state.profile, account.profile ?? {});
  const openings = Object.entries(given.balances ?? {});
  const amounts = openings.map(([currency, amount]) =>
    attempt([...path, 'balances', currency], () => readAmountOf(currency, amount, profile)),
  );
  if (amounts.includes(undefined)) return;
  if (mode === 'test') {
    const { endpoint: _, payments: __, live: ___, suspended: ____, ...options } = account;
    const view = attempt(path, () => bindGroup(accounts, context).create(options));
    if (view !== undefined) ids.set(account, view.id);
    return;
  }
  const id = ids.get(account);
  if (id === undefined) return;
  const { credit, set } = bindGroup(wallets, context);
  for (const [currency, amount] of openings)
    (Number(amount) === 0 ? set : credit)({ account: id, mode, currency, amount });
}
