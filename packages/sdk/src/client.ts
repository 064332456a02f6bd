import type { ApiKeySource, ModeOf } from './options/key.ts';
import type { Mode } from './values/models.ts';
import type { ClientOptions } from './options/options.ts';
import { type Api, createApi } from './resources/api.ts';
import { type Balances, createBalances } from './resources/balance.ts';
import { createPayments, type Payments } from './resources/payments.ts';
import { createQuotes, type Quotes } from './resources/quotes.ts';
import { createTransactions, type Transactions } from './resources/transactions.ts';
import { type Clock, systemClock } from './transport/clock.ts';
import { assembleTransport } from './transport/assemble.ts';

/** Speaks to the service with one key; `M` is the mode of the key where its type tells. */
export type Client<M extends Mode = Mode> = {
  /** Quotes exchanges. */
  readonly quotes: Quotes<M>;
  /** Creates and follows payments. */
  readonly payments: Payments<M>;
  /** Reads the wallets. */
  readonly balance: Balances<M>;
  /** Lists what moved the wallets. */
  readonly transactions: Transactions<M>;
  /** Calls operations directly, on the same guarded transport; the bodies are sent as they are. */
  readonly api: Api;
};

/**
 * Creates a client of the service. It holds no connection of its own, and nobody can read the key from it.
 *
 * @throws ConfigurationError for options that are wrong, and for a key that must not be used here.
 */
export function createClient<const Source extends ApiKeySource = string>(
  options?: ClientOptions<Source>,
): Client<ModeOf<Source>> {
  return assembleClient(options, systemClock);
}

/** Creates a client that tells time by a clock of the caller's; for the tests of this package. */
export function assembleClient<M extends Mode>(options: unknown, clock: Clock): Client<M> {
  const transport = assembleTransport(options, clock);
  return {
    quotes: createQuotes(transport),
    payments: createPayments(transport),
    balance: createBalances(transport),
    transactions: createTransactions(transport),
    api: createApi(transport),
  };
}
