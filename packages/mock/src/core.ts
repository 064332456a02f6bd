import type { HandleRequest } from './http/request.ts';
import type { AccountView } from './control/accounts.ts';
import type { Sandbox } from './control/sandbox.ts';

/** Leads from a mock to its core, for the ways in that this package ships as entries of their own. */
export const CORE: unique symbol = Symbol.for('@service/mock/core') as never;

/** Leads from a mock to whoever hears of its defects, for the ways in that this package ships as entries of their own. */
export const REPORT_DEFECT: unique symbol = Symbol.for('@service/mock/report-defect') as never;

/** Is a stateful sandbox of the payments API: the service, one account in it, and the control of both. */
export interface Mock extends AsyncDisposable {
  /** Answers requests without a network, with the signature of the global `fetch`. */
  readonly fetch: typeof globalThis.fetch;
  /** The account that every mock starts with, as it is now; after a restore the first one of that world. */
  readonly account: AccountView;
  /** The address that a client is given; any origin works with `fetch`. */
  readonly baseUrl: string;
  readonly sandbox: Sandbox;
  /** Stops the clock and waits for the deliveries that are due, 10 s at most; nothing is sent after that. */
  readonly close: () => Promise<void>;
  /** @internal */
  readonly [CORE]: HandleRequest;
  /** @internal */
  readonly [REPORT_DEFECT]: (error: unknown) => void;
}
