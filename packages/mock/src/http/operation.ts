import type { Signal } from '@service/internal';
import type { Fault } from '../domain/fault.ts';
import type { Payment } from '../domain/payment.ts';
import type { Caller, State } from '../state/state.ts';
import type { Body } from './body.ts';
import type { Draft } from '../domain/response.ts';
import type { MockRequest, ResponseContext } from './request.ts';

/** The checked request of an operation. */
export interface OperationContext {
  readonly state: State;
  readonly caller: Caller;
  readonly context: ResponseContext;
  readonly request: MockRequest;
  readonly body: Body;
  /** The path parameters. */
  readonly parameters: Readonly<Record<string, string>>;
  /** Fires after the response was sent. */
  readonly sent: Signal;
}

/** The response of an operation. */
export interface OperationResult {
  readonly response: Draft;
  /** The payment that it shows. */
  readonly payment?: Payment | undefined;
  /** Whether it created the payment. */
  readonly isCreated?: true;
  /** The fault of the response, by the outcome of the payment. */
  readonly fault?: Fault | undefined;
  /** The response waits for this promise. */
  readonly until?: Promise<void> | undefined;
}

/**
 * Runs one operation of the contract, in one synchronous step.
 *
 * @throws {HttpError}
 */
export type Operation = (context: OperationContext) => OperationResult;
