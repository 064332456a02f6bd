/**
 * Fixtures for jest, and for any runner with `beforeEach`, `afterEach` and `afterAll`: one mock per file and
 * one account per test.
 *
 * @module
 */
import { type AccountView, type Mock, SandboxError } from '@service/mock';
import {
  clientAccessOf,
  type ClientAccess,
  createSetup,
  type FixtureOptions,
  type TestAccount,
} from './setup.ts';

export type { ClientAccess, FixtureOptions, FixtureScope } from './setup.ts';

/** Registers a function that runs before or after tests. */
export type RunnerHook = (run: () => Promise<void>) => unknown;

/** The hooks of a test runner. */
export interface RunnerHooks {
  /** Prepares the account of each test. */
  readonly beforeEach: RunnerHook;
  /** Removes the webhook endpoints of the account of each test. */
  readonly afterEach: RunnerHook;
  /** Closes the mock of the file. */
  readonly afterAll: RunnerHook;
}

/** The options of `createFixtures`, with the hooks of the runner. */
export interface HookedFixtureOptions extends FixtureOptions {
  /**
   * The hooks of the runner, if they are not global: `import { beforeEach, afterEach, afterAll } from
   * '@jest/globals'`.
   *
   * @default the global hooks
   */
  readonly hooks?: RunnerHooks;
}

/** The mock, the account and the client options of the current test. Read its fields inside a test. */
export interface ServiceFixture {
  /** The mock of the file, or of the test with `scope: 'test'`. */
  readonly mock: Mock;
  /**
   * The account of the current test, created on first access.
   *
   * @throws {SandboxError} outside tests
   */
  readonly account: AccountView;
  /**
   * The client options of that account: `createClient(service.clientOptions)`.
   *
   * @throws {SandboxError} outside tests
   */
  readonly clientOptions: ClientAccess;
}

/**
 * Creates the fixtures of a test file. Call it once at the top of the file.
 *
 * @throws {SandboxError} for an invalid option and without hooks
 * @example
 * const service = createFixtures({ clock: 'manual' });
 * test('pays', async () => {
 *   const payment = await createClient(service.clientOptions).payments.create(order);
 * });
 */
export function createFixtures({ hooks, ...options }: HookedFixtureOptions = {}): ServiceFixture {
  const { scope, openMock, closeMock, openAccount } = createSetup(options);
  const { beforeEach, afterEach, afterAll } = readHooks(hooks);
  const shared = scope === 'file' ? openMock() : undefined;
  let current: CurrentTest | undefined;
  beforeEach(async () => {
    current = {};
  });
  afterEach(async () => {
    const { mock, account } = current ?? {};
    current = undefined;
    account?.close();
    if (mock !== undefined) await closeMock(mock);
  });
  afterAll(async () => {
    if (shared !== undefined) await closeMock(shared);
  });
  const findTest = (field: keyof ServiceFixture): CurrentTest => {
    if (current === undefined) throw new SandboxError('invalid_state', explainAbsence(field));
    return current;
  };
  const findMock = (field: keyof ServiceFixture): Mock => shared ?? (findTest(field).mock ??= openMock());
  const findAccount = (field: keyof ServiceFixture): AccountView => {
    const test = findTest(field);
    return (test.account ??= openAccount(findMock(field), currentTestName())).account;
  };
  return {
    get mock() {
      return findMock('mock');
    },
    get account() {
      return findAccount('account');
    },
    get clientOptions() {
      return clientAccessOf(findMock('clientOptions'), findAccount('clientOptions'));
    },
  };
}

/** The mock and the account of a test, each from its first use. */
interface CurrentTest {
  mock?: Mock;
  account?: TestAccount;
}

const hookNames = ['beforeEach', 'afterEach', 'afterAll'] as const;

function readHooks(given: RunnerHooks | undefined): RunnerHooks {
  const hooks = given ?? (globalThis as unknown as Partial<RunnerHooks>);
  const missing = hookNames.filter((name) => typeof hooks?.[name] !== 'function');
  if (missing.length === 0) return hooks as RunnerHooks;
  const remedy =
    given === undefined
      ? `Call it in a test file; where the hooks are not global, pass { hooks: { ${hookNames.join(', ')} } }`
      : `hooks takes ${hookNames.join(', ')}`;
  throw new SandboxError('invalid_argument', `createFixtures did not find ${missing.join(', ')}. ${remedy}.`);
}

function explainAbsence(field: keyof ServiceFixture): string {
  return (
    `There is no ${field} outside of a test. Read service.${field} in a test or in beforeEach, not where the fixture is ` +
    'created. Register a beforeEach that uses it after createFixtures, and an afterEach before it. Concurrent tests, as with ' +
    'test.concurrent, have no separate hooks: create an account with mock.sandbox.accounts.create() in each.'
  );
}

interface JestGlobal {
  readonly expect?: { readonly getState?: () => { readonly currentTestName?: string | undefined } };
}

/** Returns the name of the current jest test, so that ids do not depend on the order of tests. */
function currentTestName(): string | undefined {
  return (globalThis as JestGlobal).expect?.getState?.().currentTestName;
}
