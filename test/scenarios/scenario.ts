import type { ErrorType } from '@service/contract';
import type { Mock, MockOptions } from '@service/mock';

/** Who calls: a key of the mock's own account, the first test key of it after a regeneration, one of another account, or nobody. */
export type Who = 'test' | 'live' | 'replaced' | 'other' | 'nobody';

/** The status and the error type that the contract asks for, or that the connection is lost. */
export type Outcome = `${number}` | `${number} ${ErrorType}` | 'lost';

/** A call, as plain data, with the outcome that the contract asks for. */
export type Send = {
  /**
   * Method and path below the base URL. `{1}` stands for the first payment that the scenario made, `{testKey}`, `{liveKey}` and
   * `{otherKey}` for keys; in headers too.
   */
  send: `${string} ${string}`;
  gives: Outcome;
  /** `'test'` when left out. */
  as?: Who;
  /** A header of null is left out; without a Content-Type a body goes out as application/json. */
  headers?: Record<string, string | null>;
  /** Text and bytes go out as they are, anything else as JSON. */
  body?: unknown;
  /** What happens while the receiver of the first event of this call holds it, and the answer with it (SIM-HOOK-FIRST). */
  meanwhile?: Step[];
};

/** Something that is done to the mock between two calls. */
export type Act = { act: (mock: Mock) => unknown };

export type Step = Send | Act;

/** What clients do, and what they must see over every way into a mock. */
export type Scenario = {
  name: string;
  steps: Step[];
  options?: MockOptions;
  /** Sets up endpoints of both modes of the account, whose events are compared as well. */
  events?: true;
};

/** A payment of 1000 USD to EUR; fields can be replaced, or left out as undefined. */
export const order = (fields: object = {}): object => ({
  from_currency: 'USD',
  to_currency: 'EUR',
  amount: 1000,
  beneficiary_name: 'Acme Supplies Ltd',
  ...fields,
});

/** A create whose body has other fields than the ordinary one. */
export const create = (fields: object = {}, gives: Outcome = '201'): Send => ({
  send: 'POST /payments',
  body: order(fields),
  gives,
});

/** A create with an Idempotency-Key. */
export const createOnce = (key: string, fields: object = {}, gives: Outcome = '201'): Send => ({
  ...create(fields, gives),
  headers: { 'idempotency-key': key },
});

export const get = (path: string, gives: Outcome = '200'): Send => ({ send: `GET ${path}`, gives });

/** Moves the clock. */
export const wait = (duration: `${number}${'s' | 'm' | 'h'}`): Act => ({
  act: (mock) => mock.sandbox.clock.advance(duration),
});

/** What is left when all is done: the wallets and the history. */
export const books: Step[] = [get('/balance'), get('/transactions')];

/** Sets the wallet of US dollars. */
export const hold = (amount: number | string): Act => ({
  act: (mock) => mock.sandbox.wallets.set({ currency: 'USD', amount }),
});
