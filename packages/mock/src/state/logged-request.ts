import type { Mode, OperationId } from '@service/contract';
import type { FaultKind } from '../domain/fault.ts';
import type { Instant } from '../domain/json.ts';
import type { AccountState } from './account-state.ts';
import type { Transport } from './transport.ts';

/** The logged response of a request, or a lost connection. */
export type LoggedResponse =
  | {
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      readonly body: string | null;
    }
  | 'connection_lost';

/** A request in the request log. Views of it are computed when they are read. */
export interface LoggedRequest {
  readonly id: string;
  readonly at: Instant;
  readonly transport: Transport;
  readonly method: string;
  readonly path: string;
  readonly search: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly operation: OperationId | null;
  /** The id of the account of the API key. */
  readonly account: string | null;
  /** The mode of the API key. */
  readonly mode: Mode | null;
  readonly fault: { readonly id: string; readonly kind: FaultKind } | null;
  /** The body as text; null for a request without one and for a body that was not read. */
  body: string | null;
  /** The payment that the request created. */
  payment_id: string | null;
  /** The account state of that payment. Null without one, so that the log keeps no other state in memory. */
  accountState: AccountState | null;
  /** Null until the response. */
  response: LoggedResponse | null;
  /**
   * The size that counts against the limit of the request log; 0 when it is not in the log. Set by the log
   * only.
   */
  size: number;
}
