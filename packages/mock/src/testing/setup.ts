// Imported by package name, so that the types of both entries are identical.
import {
  type AccountOptions,
  type AccountView,
  createMock,
  type Mock,
  type MockOptions,
  SandboxError,
} from '@service/mock';
import { type Field, isRecord, oneOf, parseFields } from '@service/internal';

/** The options of fixtures: those of the mock and of the account of each test. */
export interface FixtureOptions extends MockOptions {
  /**
   * A mock to use instead of a new one. The fixtures do not close it. Other mock options are not allowed with
   * it.
   *
   * @default a new mock
   */
  readonly mock?: Mock;
  /**
   * Whether the tests of a file share a mock. With `'test'` each test has its own mock, clock and rate limit.
   *
   * @default 'file'
   */
  readonly scope?: FixtureScope;
  /**
   * The opening balances of the account of each test.
   *
   * @default { USD: '100000.00', EUR: '100000.00', GBP: '100000.00' }
   * @example { USD: '1000.00' }
   */
  readonly balances?: NonNullable<AccountOptions['balances']>;
}

/** The scope of a mock: all tests of a file, or one test. */
export type FixtureScope = 'file' | 'test';

/** The client options for an account of a mock. Pass them to `createClient`. */
export interface ClientAccess {
  /** The API key of test mode. */
  readonly apiKey: string;
  /** The base URL of the mock. */
  readonly baseUrl: string;
  /** Calls the mock without a network. */
  readonly fetch: typeof globalThis.fetch;
  /** Allows the key in a page: it is one of the mock. */
  readonly allowBrowser: true;
}

/** The account of one test. */
export interface TestAccount {
  readonly account: AccountView;
  /** Removes the webhook endpoints of the account, so that no later test receives its webhooks. */
  readonly close: () => void;
}

/** The mocks and accounts of fixtures. */
export interface Setup {
  readonly scope: FixtureScope;
  readonly openMock: () => Mock;
  readonly closeMock: (mock: Mock) => Promise<void>;
  /** Creates the account of a test, named after the test if its name is known. */
  readonly openAccount: (mock: Mock, testName: string | undefined) => TestAccount;
}

const mockField: Field<Mock> = {
  expected: 'from createMock',
  parse: (value) => (isRecord(value) && isRecord(value.sandbox) ? (value as unknown as Mock) : undefined),
};

const fields = { mock: mockField, scope: oneOf('file', 'test') };

/**
 * Checks the options of fixtures. `createMock` checks the other options.
 *
 * @throws {SandboxError} for an invalid mock or scope, and for conflicting options
 */
export function createSetup(options: FixtureOptions): Setup {
  if (!isRecord(options)) throw createError('options must be an object with named fields.');
  parseFields(options, { fields, createError });
  const { mock, scope = 'file', balances, ...mockOptions } = options as FixtureOptions;
  const openAccount = createOpenAccount(balances);
  if (mock === undefined) {
    return { scope, openAccount, openMock: () => createMock(mockOptions), closeMock: (own) => own.close() };
  }
  const others = Object.keys(mockOptions);
  if (others.length > 0)
    throw createError(`${others.join(', ')} cannot be combined with mock. Pass them to createMock.`);
  if (scope === 'test')
    throw createError("scope 'test' creates a mock for each test and cannot be combined with mock.");
  return { scope, openAccount, openMock: () => mock, closeMock: async () => {} };
}

function createError(message: string): SandboxError {
  return new SandboxError('invalid_argument', `createFixtures: ${message}`);
}

function createOpenAccount(balances: FixtureOptions['balances']): Setup['openAccount'] {
  return (mock, testName) => {
    const { accounts, webhooks } = mock.sandbox;
    const account = accounts.create({
      ...(balances !== undefined && { balances }),
      // A test can have an empty title, an account cannot.
      ...(testName && { name: findFreeName(mock, testName) }),
    });
    return {
      account,
      close() {
        // A reset may have removed the account.
        if (!accounts.list().some(({ id }) => id === account.id)) return;
        for (const mode of ['test', 'live'] as const) webhooks.removeEndpoint({ account, mode });
      },
    };
  };
}

/** Appends a number to a name that is taken, by a retry or by a test with the same name. */
function findFreeName({ sandbox }: Mock, name: string): string {
  const taken = new Set(sandbox.accounts.list().map((account) => account.name));
  let free = name;
  for (let count = 2; taken.has(free); count += 1) free = `${name} (${count})`;
  return free;
}

/** Returns the client options for an account of a mock. */
export function clientAccessOf({ baseUrl, fetch }: Mock, { testKey: apiKey }: AccountView): ClientAccess {
  return { apiKey, baseUrl, fetch, allowBrowser: true };
}
