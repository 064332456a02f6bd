import { describeUnknown } from '@service/internal';
import type { Mode } from '@service/contract';
import { readAmountOf, wallets } from '../control/operations/wallets.ts';
import { type FaultOptions, readFault, faults } from '../control/operations/faults.ts';
import { accounts } from '../control/operations/accounts.ts';
import { endpoints } from '../control/operations/endpoint.ts';
import { payments } from '../control/operations/payments.ts';
import { rateLimit, type RateLimitOptions } from '../control/operations/rate-limit.ts';
import type { Context } from '../control/context.ts';
import { bindGroup } from '../control/operation.ts';
import { check, strict, toMilliseconds } from '../domain/schema.ts';
import { SandboxError } from '../state/sandbox-error.ts';
import {
  type SandboxSeed,
  type SeedAccount,
  seedFields,
  type SeedLiveMode,
  type SeedPayment,
} from './seed.ts';
import { createSeedError, type SeedPath, type SeedProblem, sourceOf, toSeedProblems } from './source.ts';

const seedSchema = strict(seedFields, { expected: 'an object with named fields' });

/**
 * Checks the fields of a seed.
 *
 * @throws {SandboxError} that names each invalid or unknown field
 */
export function checkSeed(seed: unknown): asserts seed is SandboxSeed {
  const { problems: unset = [] } = sourceOf(seed) ?? {};
  // A text with an unset variable has no value to check.
  const isChecked = ({ path }: SeedProblem): boolean =>
    !unset.some((each) => String(each.path) === String(path));
  const found = check(seedSchema, seed).problems.flatMap(toSeedProblems).filter(isChecked);
  const problems = [...unset, ...found.toSorted((a, b) => compareRanks(rankOf(seed, a), rankOf(seed, b)))];
  if (problems.length > 0) throw createSeedError(seed, problems);
}

/** Returns the position of a problem in a seed, as the indexes of the names that lead to it. */
function rankOf(seed: unknown, { path }: SeedProblem): number[] {
  let value = seed;
  return path.map((part) => {
    const rank = typeof part === 'number' ? part : Object.keys(Object(value)).indexOf(part);
    value = (value as Record<string | number, unknown> | null | undefined)?.[part];
    return rank;
  });
}

function compareRanks(a: readonly number[], b: readonly number[]): number {
  const index = a.findIndex((rank, at) => rank !== b[at]);
  return index === -1 ? a.length - b.length : (a[index] ?? 0) - (b[index] ?? -1);
}

/** The parts of a seed that are not part of the state: a reset applies them again. */
export interface StandingSeed {
  readonly faults: readonly FaultOptions[];
  readonly rateLimit?: Omit<RateLimitOptions, 'account'> | undefined;
}

/** Injects the faults and sets the rate limit of a seed. */
export function applyStanding(parts: Context, standing: StandingSeed): void {
  for (const fault of standing.faults) bindGroup(faults, parts).inject(fault);
  if (standing.rateLimit !== undefined) bindGroup(rateLimit, parts).set(standing.rateLimit);
}

/** One mode of an account of a seed. */
interface SeededMode {
  readonly account: SeedAccount;
  readonly mode: Mode;
  readonly given: SeedLiveMode;
  readonly path: SeedPath;
}

/** A payment of a seed, and the time from its create to the start of the clock in milliseconds. */
interface SeededPayment extends SeededMode {
  readonly payment: Omit<SeedPayment, 'age'>;
  readonly age: number;
}

/** The sandbox that a seed is applied to. */
interface SeedContext {
  readonly parts: Context;
  /** The ids of the accounts that were created. */
  readonly ids: Map<SeedAccount, string>;
  readonly problems: SeedProblem[];
  /** Runs an operation for the value at a path. Adds the reason to the problems if it is rejected. */
  readonly attempt: (path: SeedPath, run: () => unknown) => void;
}

/**
 * Applies a seed to an empty sandbox with a manual clock, with the operations of the sandbox.
 *
 * @param now the time of the sandbox afterwards, in milliseconds since 1970
 * @throws {SandboxError} that names each field that an operation rejects
 */
export function applySeed(parts: Context, seed: SandboxSeed, now: number): StandingSeed {
  const context = createContext(parts);
  const { clock } = parts.state;
  const all = seed.accounts ?? [{ name: 'default' }];
  const modes = all.flatMap(listModes);
  // The rows and ids of an account are in the order of time.
  const sorted = modes.flatMap(listPayments).toSorted((a, b) => b.age - a.age);
  const moveBack = (age: number): void => clock.restart(Math.max(0, now - age), []);
  moveBack(sorted[0]?.age ?? 0);
  for (const each of modes) openWallets(context, each);
  for (const each of sorted) {
    moveBack(each.age);
    createPayment(context, each);
  }
  moveBack(0);
  // Endpoints are set last, so that the payments of the seed send no events.
  for (const each of modes) finishAccount(context, each);
  const standing = { faults: resolveFaults(context, seed.faults), rateLimit: seed.rateLimit };
  if (context.problems.length > 0) throw createSeedError(seed, context.problems);
  applyStanding(parts, standing);
  return standing;
}

function createContext(parts: Context): SeedContext {
  const problems: SeedProblem[] = [];
  const attempt = (path: SeedPath, run: () => unknown): void => {
    try {
      run();
    } catch (error) {
      if (!(error instanceof SandboxError)) throw error;
      // The name of the call means nothing to the reader of a file.
      problems.push({ path, message: error.message.replace(/^\w+\.\w+(?: of \w+)?: /, '') });
    }
  };
  return { parts, problems, attempt, ids: new Map() };
}

function listModes(account: SeedAccount, index: number): SeededMode[] {
  const path = ['accounts', index];
  const { live = {} } = account;
  return [
    { account, path, mode: 'test', given: account },
    { account, path: [...path, 'live'], mode: 'live', given: live },
  ];
}

function listPayments(seeded: SeededMode): SeededPayment[] {
  return (seeded.given.payments ?? []).map(({ age = 0, ...payment }, index) => ({
    ...seeded,
    payment,
    age: toMilliseconds(age) ?? 0,
    path: [...seeded.path, 'payments', index],
  }));
}

/** Creates the account, or opens its wallets of live mode. */
function openWallets(context: SeedContext, { account, mode, given, path }: SeededMode): void {
  const { parts, problems, attempt, ids } = context;
  const profile = { ...parts.state.profile, ...account.profile };
  const openings = Object.entries(given.balances ?? {});
  const before = problems.length;
  for (const [currency, amount] of openings)
    attempt([...path, 'balances', currency], () => readAmountOf(currency, amount, profile));
  if (problems.length > before) return;
  if (mode === 'test') {
    const {
      endpoint: _endpoint,
      payments: _payments,
      live: _live,
      suspended: _suspended,
      ...options
    } = account;
    attempt(path, () => ids.set(account, bindGroup(accounts, parts).create(options).id));
    return;
  }
  const id = ids.get(account);
  if (id === undefined) return;
  const { credit, set } = bindGroup(wallets, parts);
  for (const [currency, amount] of openings)
    (Number(amount) === 0 ? set : credit)({ account: id, mode, currency, amount });
}

function createPayment(
  { parts, ids, attempt }: SeedContext,
  { account, mode, payment, path }: SeededPayment,
): void {
  const id = ids.get(account);
  if (id === undefined) return;
  attempt(path, () => bindGroup(payments, parts).create({ ...payment, account: id, mode }));
}

/** Sets the endpoint and the suspension of an account. */
function finishAccount(
  { parts, ids, attempt }: SeedContext,
  { account, mode, given, path }: SeededMode,
): void {
  const id = ids.get(account);
  if (id === undefined) return;
  const { endpoint } = given;
  if (endpoint !== undefined) {
    const { setEndpoint } = bindGroup(endpoints, parts);
    attempt([...path, 'endpoint', 'url'], () => setEndpoint({ ...endpoint, account: id, mode }));
  }
  if (account.suspended) bindGroup(accounts, parts).suspend(id);
}

/** Replaces the names of accounts by ids, and checks the options of each fault. */
function resolveFaults(context: SeedContext, given: SandboxSeed['faults'] = []): FaultOptions[] {
  const names = new Map([...context.ids].map(([{ name }, id]) => [name, id]));
  return given.map(({ account: name, ...options }, index) => {
    const path = ['faults', index];
    const id = name === undefined ? undefined : names.get(name);
    const isKnown = name === undefined || id !== undefined;
    if (!isKnown)
      context.problems.push({
        path: [...path, 'account'],
        message: describeUnknown(name, [...names.keys()]),
      });
    const fault = { ...options, ...(id !== undefined && { account: id }) } as FaultOptions;
    context.attempt(path, () => readFault(fault));
    return fault;
  });
}
