/**
 * A fixture for jest, and for every runner with `beforeEach`, `afterEach` and `afterAll`: one mock for the tests of a file, and
 * an account of its own for each test.
 *
 * @module
 */
import { type AccountView, type Mock, SandboxError } from '@service/mock';
import { type FixtureOptions, readSetup, type Setup } from './options.ts';
import { clientAccessOf, type ClientAccess, openTestAccount, type TestAccount } from './test-account.ts';

export type { FixtureOptions, FixtureScope } from './options.ts';
export type { ClientAccess } from './test-account.ts';

/** Registers what runs before or after tests. */
export type Hook = (run: () => Promise<void>) => unknown;

/** Names the hooks of a test runner. */
export interface Hooks {
  readonly beforeEach: Hook;
  readonly afterEach: Hook;
  readonly afterAll: Hook;
}

/** Sets up a fixture and says whose hooks it uses. */
export interface HookedFixtureOptions extends FixtureOptions {
  /**
   * The hooks of the runner, where they are not global: `import { beforeEach, afterEach, afterAll } from '@jest/globals'`.
   *
   * @default the global ones
   */
  readonly hooks?: Hooks;
}

/** Holds what tests get; read its fields where you need them, for each test has its own. */
export interface ServiceFixture {
  /** The mock of the file; with `scope: 'test'` that of the test. */
  readonly mock: Mock;
  /** The account of the test that runs; opened when it is first read. Throws `SandboxError` outside of tests. */
  readonly account: AccountView;
  /** How a client reaches that account: `createClient(service.clientOptions)`. Throws `SandboxError` outside of tests. */
  readonly clientOptions: ClientAccess;
}

/**
 * Creates a fixture for the tests of a file; call it once, at the top. Throws `SandboxError` for a bad option and where there
 * are no hooks.
 *
 * @example
 * const service = createFixture({ clock: 'manual' });
 * test('pays', async () => {
 *   const payment = await createClient(service.clientOptions).payments.create(order);
 * });
 */
export function createFixture({ hooks, ...options }: HookedFixtureOptions = {}): ServiceFixture {
  const setup = readSetup('createFixture', options);
  const { beforeEach, afterEach, afterAll } = readHooks(hooks);
  const shared = setup.scope === 'file' ? setup.openMock() : undefined;
  let current: TestScope | undefined;
  beforeEach(async () => {
    current = openTestScope(setup, shared);
  });
  afterEach(async () => {
    const ended = current;
    current = undefined;
    await ended?.end();
  });
  afterAll(async () => {
    if (shared !== undefined) await setup.closeMock(shared);
  });
  const requireTest = (field: keyof ServiceFixture): TestScope => {
    if (current === undefined) throw new SandboxError('invalid_state', explainAbsence(field));
    return current;
  };
  return {
    get mock() {
      return shared ?? requireTest('mock').mock();
    },
    get account() {
      return requireTest('account').account();
    },
    get clientOptions() {
      const { mock, account } = requireTest('clientOptions');
      return clientAccessOf(mock(), account());
    },
  };
}

/** Holds what belongs to the test that runs, made when it is first asked for. */
interface TestScope {
  readonly mock: () => Mock;
  readonly account: () => AccountView;
  readonly end: () => Promise<void>;
}

function openTestScope({ balances, openMock, closeMock }: Setup, shared: Mock | undefined): TestScope {
  let own: Mock | undefined;
  let testAccount: TestAccount | undefined;
  const mock = (): Mock => shared ?? (own ??= openMock());
  return {
    mock,
    account: () =>
      (testAccount ??= openTestAccount(mock(), { name: currentTestName(), ...balances })).account,
    async end() {
      testAccount?.close();
      if (own !== undefined) await closeMock(own);
    },
  };
}

const hookNames = ['beforeEach', 'afterEach', 'afterAll'] as const;

function readHooks(given: Hooks | undefined): Hooks {
  const hooks = given ?? (globalThis as unknown as Partial<Hooks>);
  const missing = hookNames.filter((name) => typeof hooks?.[name] !== 'function');
  if (missing.length === 0) return hooks as Hooks;
  const remedy =
    given === undefined
      ? `Call it in a test file; where the hooks are not global, pass { hooks: { ${hookNames.join(', ')} } }`
      : `hooks takes ${hookNames.join(', ')}`;
  throw new SandboxError('invalid_argument', `createFixture finds no ${missing.join(', ')}. ${remedy}.`);
}

function explainAbsence(field: keyof ServiceFixture): string {
  return (
    `There is no ${field} outside of a test. Read service.${field} in a test or in beforeEach, not where the fixture is ` +
    'created; hooks that use it are registered after createFixture, afterEach before it. Tests that run at once, as those ' +
    'of test.concurrent, have no hooks of their own: give each mock.sandbox.accounts.create().'
  );
}

interface JestGlobal {
  readonly expect?: { readonly getState?: () => { readonly currentTestName?: string | undefined } };
}

/** Asks jest which test runs, so that ids do not depend on the order of tests. */
function currentTestName(): string | undefined {
  return (globalThis as JestGlobal).expect?.getState?.().currentTestName;
}
