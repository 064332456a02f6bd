import type { AccountOptions, AccountView, Mock } from '@service/mock';

/** The client options for an account of a mock. Pass them to `createClient`. */
export interface ClientAccess {
  /** The API key of test mode. */
  readonly apiKey: string;
  readonly baseUrl: string;
  readonly fetch: typeof globalThis.fetch;
}

/** The account of one test. */
export interface TestAccount {
  readonly account: AccountView;
  /** Removes the webhook endpoints of the account, so that no later test receives its webhooks. */
  readonly close: () => void;
}

/** Creates an account for a test, named after the test if its name is known. */
export function openTestAccount(
  mock: Mock,
  { name, ...options }: { readonly name: string | undefined } & Pick<AccountOptions, 'balances'>,
): TestAccount {
  const { accounts, webhooks } = mock.sandbox;
  // A test can have an empty title, an account cannot.
  const named = name === undefined || name === '' ? {} : { name: findFreeName(mock, name) };
  const account = accounts.create({ ...options, ...named });
  return {
    account,
    close() {
      // A reset may have removed the account.
      if (!accounts.list().some(({ id }) => id === account.id)) return;
      for (const mode of ['test', 'live'] as const) webhooks.removeEndpoint({ account, mode });
    },
  };
}

/** Returns the client options for an account of a mock. */
export function clientAccessOf({ baseUrl, fetch }: Mock, { testKey: apiKey }: AccountView): ClientAccess {
  return { apiKey, baseUrl, fetch };
}

/** Appends a number to a name that is taken, by a retry or by a test with the same name. */
function findFreeName({ sandbox }: Mock, name: string): string {
  const taken = new Set(sandbox.accounts.list().map((account) => account.name));
  let count = 1;
  let free = name;
  while (taken.has(free)) {
    count += 1;
    free = `${name} (${count})`;
  }
  return free;
}
