import type { HandleRequest } from './http/request.ts';
import type { AccountView } from './control/operations/accounts.ts';
import type { Sandbox } from './control/sandbox.ts';

// Typed as texts: a unique symbol of the CommonJS declarations differs from that of `./msw`, which is ESM only.

/** The key of the request handler of a mock, for the other entries of this package. */
export const CORE: '~core' = Symbol.for('@service/mock/core') as never;

/** The key of the `Context` of a mock, for the control API. */
export const PARTS: '~parts' = Symbol.for('@service/mock/parts') as never;

/** The key of the defect listener of a mock, for the other entries of this package. */
export const REPORT_DEFECT: '~reportDefect' = Symbol.for('@service/mock/report-defect') as never;

/** Returns the request handler of a mock. */
export function handlerOf(mock: Mock): HandleRequest {
  return mock[CORE] as HandleRequest;
}

/** Client options for the first account of a mock. */
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

/** A stateful sandbox of the payments API: the service, its first account, and the control API. */
export interface Mock extends AsyncDisposable {
  /** Handles requests without a network, with the signature of the global `fetch`. */
  readonly fetch: typeof globalThis.fetch;
  /** The first account of the sandbox, in its current state. A restore can replace it. */
  readonly account: AccountView;
  /** The client options of `account`: `createClient(mock.clientOptions)`. */
  readonly clientOptions: ClientAccess;
  /** The base URL for clients. `fetch` accepts any origin. */
  readonly baseUrl: string;
  /** Controls the state behind the API: accounts, payments, clock, faults, webhooks and request log. */
  readonly sandbox: Sandbox;
  /** Stops the clock and waits for due deliveries, for at most 10 s. Nothing is sent after that. */
  readonly close: () => Promise<void>;
  /** @internal */
  readonly '~core': object;
  /** @internal */
  readonly '~parts': object;
  /** @internal */
  readonly '~reportDefect': (error: unknown) => void;
}
