import type { ErrorType } from '@service/contract';
import type { Mock, MockOptions } from '@service/mock';

/** The API key of a request: of the default account, its test key before a regeneration, of another account, or no key. */
export type Caller = 'test' | 'live' | 'replaced' | 'other' | 'anonymous';

/** The status and error type that the contract requires, or a lost connection. */
export type Outcome = `${number}` | `${number} ${ErrorType}` | 'lost';

/** A request as plain data, with the outcome that the contract requires. */
export interface Send {
  /**
   * Method and path below the base URL. In the path and in headers, `{1}` is the id of the first payment of the scenario, and
   * `{testKey}`, `{liveKey}` and `{otherKey}` are API keys.
   */
  send: `${string} ${string}`;
  expected: Outcome;
  /** @default 'test' */
  as?: Caller;
  /** Null removes a header. The default Content-Type of a body is application/json. */
  headers?: Record<string, string | null>;
  /** Strings and bytes are sent unchanged, other values as JSON. */
  body?: unknown;
  /** Steps that run before the receiver acknowledges the first event. The response waits for it (SIM-HOOK-FIRST). */
  duringDelivery?: Step[];
}

/** A change of the mock between two requests. */
export interface Act {
  act: (mock: Mock) => unknown;
}

export type Step = Send | Act;

/** Steps of clients whose responses must be equal over every transport of a mock. */
export interface Scenario {
  name: string;
  steps: Step[];
  options?: MockOptions;
  /** Registers webhook endpoints for both modes of the account and compares their events. */
  events?: true;
}

/** Returns the body of a payment of 1000 USD to EUR. A field of undefined is omitted. */
export const order = (fields: object = {}): object => ({
  from_currency: 'USD',
  to_currency: 'EUR',
  amount: 1000,
  beneficiary_name: 'Acme Supplies Ltd',
  ...fields,
});

/** Creates a payment with the given fields. */
export const create = (fields: object = {}, expected: Outcome = '201'): Send => ({
  send: 'POST /payments',
  body: order(fields),
  expected,
});

/** Creates a payment with an Idempotency-Key. */
export const createOnce = (key: string, fields: object = {}, expected: Outcome = '201'): Send => ({
  ...create(fields, expected),
  headers: { 'idempotency-key': key },
});

export const get = (path: string, expected: Outcome = '200'): Send => ({ send: `GET ${path}`, expected });

/** Advances the manual clock. */
export const wait = (duration: `${number}${'s' | 'm' | 'h'}`): Act => ({
  act: (mock) => mock.sandbox.clock.advance(duration),
});

/** Reads the balances and the transactions. */
export const ledger: Step[] = [get('/balance'), get('/transactions')];

/** Sets the USD balance. */
export const setBalance = (amount: number | string): Act => ({
  act: (mock) => mock.sandbox.wallets.set({ currency: 'USD', amount }),
});
