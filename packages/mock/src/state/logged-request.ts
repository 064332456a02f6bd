import type { OperationId } from '@service/contract';
import type { FaultKind } from '../domain/fault.ts';
import type { Instant } from '../domain/timestamp.ts';
import type { AccountState } from './account-state.ts';
import type { Transport } from './transport.ts';

/** Holds what a call was answered with, or that the connection was lost instead. */
export type LoggedResponse =
  | {
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      readonly body: string | null;
    }
  | 'connection_lost';

/** Holds what is noted of a request on its way; what a reader sees of it is worked out when it is read. */
export interface LoggedRequest {
  readonly id: string;
  readonly at: Instant;
  readonly transport: Transport;
  readonly method: string;
  readonly path: string;
  readonly search: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  operation: OperationId | null;
  /** The id of the account whose key it bore. */
  account: string | null;
  /** The books of the account in the mode of the key. */
  accountState: AccountState | null;
  /** The body as text; null where there was none, or where it was not read. */
  body: string | null;
  /** The payment that the request made. */
  payment_id: string | null;
  fault: { readonly id: string; readonly kind: FaultKind } | null;
  /** Null while the call is being answered. */
  response: LoggedResponse | null;
  /** What it counts for in the bounds of the journal, which alone sets it; 0 while it is not kept. */
  size: number;
}
