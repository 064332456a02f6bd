import type { ApiKeySource, ModeOf } from './options/key.ts';
import type { Mode } from './values/models.ts';
import type { ClientOptions } from './options/options.ts';
import { type Balances, createBalances } from './resources/balance.ts';
import { createPayments, type Payments } from './resources/payments.ts';
import { createQuotes, type Quotes } from './resources/quotes.ts';
import { createTransactions, type Transactions } from './transactions/transactions.ts';
import { type Clock, systemClock } from './transport/clock.ts';
import { createClientContext } from './transport/client-context.ts';
import { addGuardedFetch } from './transport/guarded-fetch.ts';

/** A client of the payments API with one API key. `M` is the mode of the key, if its type shows it. */
export interface Client<M extends Mode = Mode> {
  /** Exchange quotes. */
  readonly quotes: Quotes<M>;
  /** Payments: create, retrieve, wait for a status, and reconcile an unknown outcome. */
  readonly payments: Payments<M>;
  /** Wallet balances. */
  readonly balance: Balances<M>;
  /** The transaction history of the wallets. */
  readonly transactions: Transactions<M>;
}

/**
 * Creates a client of the payments API. It opens no connection, and the API key cannot be read from it.
 *
 * @throws {ConfigurationError} when an option is invalid, or the API key must not be used in this
 * environment.
 * @example
 * const client = createClient({ apiKey: 'service_test_…', baseUrl: 'http://localhost:4010/api/v1' });
 * const { balances } = await client.balance.retrieve();
 */
export function createClient<const Source extends ApiKeySource = string>(
  options?: ClientOptions<Source>,
): Client<ModeOf<Source>> {
  return assembleClient(options, systemClock);
}

/** Creates a client with a given clock, for the tests of this package. */
export function assembleClient<M extends Mode>(options: unknown, clock: Clock): Client<M> {
  const context = createClientContext(options, clock);
  const client: Client<M> = {
    quotes: createQuotes(context),
    payments: createPayments(context),
    balance: createBalances(context),
    transactions: createTransactions(context),
  };
  addGuardedFetch(client, context);
  return client;
}
