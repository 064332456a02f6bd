/**
 * Fixtures for vitest: one mock for the tests of a file, and an account of its own for each test.
 *
 * @module
 */
import type { AccountView, Mock } from '@service/mock';
import { type FixtureOptions, readSetup } from './options.ts';
import { clientAccessOf, type ClientAccess, openTestAccount } from './test-account.ts';

export type { FixtureOptions, FixtureScope } from './options.ts';
export type { ClientAccess } from './test-account.ts';

/** Gives a test a value for as long as it runs: what `test.extend` of vitest takes. */
export type Fixture<Value, Context = object> = (
  context: Context,
  use: (value: Value) => Promise<void>,
) => Promise<void>;

/** Holds what tests get from `createFixtures`. */
export interface ServiceFixtures {
  /** The mock of the file, or of the test with `scope: 'test'`. */
  readonly mock: Fixture<Mock>;
  /** The account of the test alone. */
  readonly account: Fixture<AccountView, { readonly mock: Mock; readonly task: NamedTask }>;
  /** How a client reaches that account: `createClient(clientOptions)`. */
  readonly clientOptions: Fixture<ClientAccess, { readonly mock: Mock; readonly account: AccountView }>;
}

/** Names a test of vitest and those that it lies in. */
export interface NamedTask {
  readonly name: string;
  readonly suite?: NamedTask | undefined;
}

/**
 * Creates fixtures for `test.extend` of vitest 3.2 and later: `mock`, `account` and `clientOptions`. Throws `SandboxError` for
 * options that contradict each other; a bad option of the mock fails the first test that uses it.
 *
 * @example
 * const test = base.extend(createFixtures({ clock: 'manual' }));
 * test('pays', async ({ clientOptions }) => {
 *   const payment = await createClient(clientOptions).payments.create(order);
 * });
 */
export function createFixtures(options: FixtureOptions = {}): ServiceFixtures {
  const { scope, balances, openMock, closeMock } = readSetup('createFixtures', options);
  // oxlint-disable-next-line no-empty-pattern -- vitest reads from the text of a fixture which others it needs
  const mock: ServiceFixtures['mock'] = async ({}, use) => {
    const opened = openMock();
    await use(opened);
    await closeMock(opened);
  };
  return {
    mock: withScope(mock, scope),
    account: async ({ mock: opened, task }, use) => {
      const { account, close: leave } = openTestAccount(opened, { name: fullNameOf(task), ...balances });
      await use(account);
      leave();
    },
    clientOptions: async ({ mock: opened, account }, use) => use(clientAccessOf(opened, account)),
  };
}

/** Pairs a fixture with its scope, as vitest takes it; typed as the fixture alone, from which vitest infers what a test gets. */
function withScope(fixture: ServiceFixtures['mock'], scope: 'file' | 'test'): ServiceFixtures['mock'] {
  return [fixture, { scope }] as never;
}

function fullNameOf({ name, suite }: NamedTask): string {
  return suite === undefined ? name : `${fullNameOf(suite)} > ${name}`;
}
