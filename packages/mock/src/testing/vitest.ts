/**
 * Fixtures for vitest: one mock per file and one account per test.
 *
 * @module
 */
import type { AccountView, Mock } from '@service/mock';
import { clientAccessOf, type ClientAccess, createSetup, type FixtureOptions } from './setup.ts';

export type { ClientAccess, FixtureOptions, FixtureScope } from './setup.ts';

/** A fixture function for `test.extend` of vitest. */
export type Fixture<Value, Context = object> = (
  context: Context,
  use: (value: Value) => Promise<void>,
) => Promise<void>;

/** The fixtures that `createFixtures` returns. */
export interface ServiceFixtures {
  /** The mock of the file, or of the test with `scope: 'test'`. */
  readonly mock: Fixture<Mock>;
  /** The account of the test. */
  readonly account: Fixture<
    AccountView,
    {
      /** The mock of the test. */
      readonly mock: Mock;
      /** The running test, whose name becomes that of its account. */
      readonly task: NamedTask;
    }
  >;
  /** The client options of that account: `createClient(clientOptions)`. */
  readonly clientOptions: Fixture<
    ClientAccess,
    {
      /** The mock of the test. */
      readonly mock: Mock;
      /** The account of the test. */
      readonly account: AccountView;
    }
  >;
}

/** A vitest test and its parent suites. */
export interface NamedTask {
  /** The title of the test or suite. */
  readonly name: string;
  /** The suite that contains it. */
  readonly suite?: NamedTask | undefined;
}

/**
 * Creates fixtures for `test.extend` of vitest 3.2 or later: `mock`, `account` and `clientOptions`. Throws
 * `SandboxError` for conflicting options; an invalid mock option fails the first test that uses the mock.
 *
 * @example
 * const test = base.extend(createFixtures({ clock: 'manual' }));
 * test('pays', async ({ clientOptions }) => {
 *   const payment = await createClient(clientOptions).payments.create(order);
 * });
 */
export function createFixtures(options: FixtureOptions = {}): ServiceFixtures {
  const { scope, openMock, closeMock, openAccount } = createSetup(options);
  // oxlint-disable-next-line no-empty-pattern -- vitest parses the parameter to find its dependencies
  const mock: ServiceFixtures['mock'] = async ({}, use) => {
    const opened = openMock();
    await use(opened);
    await closeMock(opened);
  };
  return {
    mock: withScope(mock, scope),
    account: async ({ mock: opened, task }, use) => {
      const { account, close } = openAccount(opened, fullNameOf(task));
      await use(account);
      close();
    },
    clientOptions: async ({ mock: opened, account }, use) => use(clientAccessOf(opened, account)),
  };
}

/**
 * Pairs a fixture with its scope. The return type is the fixture's, from which vitest infers the test
 * context.
 */
function withScope(fixture: ServiceFixtures['mock'], scope: 'file' | 'test'): ServiceFixtures['mock'] {
  return [fixture, { scope }] as never;
}

function fullNameOf({ name, suite }: NamedTask): string {
  return suite === undefined ? name : `${fullNameOf(suite)} > ${name}`;
}
