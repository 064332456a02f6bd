import type { AccountOptions, AccountView, Mock } from '@service/mock';

/** Says how a client reaches an account of a mock: spread it into the options of `createClient`. */
export interface ClientAccess {
  /** The test key of the account. */
  readonly apiKey: string;
  readonly baseUrl: string;
  readonly fetch: typeof globalThis.fetch;
}

/** Holds what one test has for itself, as long as it runs. */
export interface TestAccount {
  readonly account: AccountView;
  /** Ends it: no webhook of the account leaves any more, so that none comes to a test that listens there later. */
  readonly close: () => void;
}

/** Opens an account of its own for a test, under the name of the test where it is known. */
export function openTestAccount(
  mock: Mock,
  { name, ...options }: { readonly name: string | undefined } & Pick<AccountOptions, 'balances'>,
): TestAccount {
  const { accounts, webhooks } = mock.sandbox;
  // Runners take tests without a title; accounts have a name.
  const named = name === undefined || name === '' ? {} : { name: findFreeName(mock, name) };
  const account = accounts.create({ ...options, ...named });
  return {
    account,
    close() {
      // A reset may have taken the account away.
      if (!accounts.list().some(({ id }) => id === account.id)) return;
      for (const mode of ['test', 'live'] as const) webhooks.removeEndpoint({ account, mode });
    },
  };
}

/** Says how a client reaches an account of a mock. */
export function clientAccessOf({ baseUrl, fetch }: Mock, { testKey: apiKey }: AccountView): ClientAccess {
  return { apiKey, baseUrl, fetch };
}

/** Numbers a name that is taken: a test that is tried again, or one of two with the same name. */
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
