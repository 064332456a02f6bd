import type { Caller, State } from '../state/state.ts';
import type { Body } from './body.ts';
import type { MockRequest, MockResult } from './request.ts';

/** The checked request of an operation. */
export interface OperationContext {
  readonly state: State;
  readonly caller: Caller;
  readonly request: MockRequest;
  readonly body: Body;
  /** The path parameters. */
  readonly parameters: Readonly<Record<string, string>>;
  /** Resolves after the response was sent. */
  readonly flushed: Promise<void>;
}

/** The response of an operation and the payment that it created. */
export interface OperationResult {
  readonly response: MockResult;
  /** @default null */
  readonly payment_id?: string;
  /** The response waits for this promise. */
  readonly until?: Promise<void>;
}

/**
 * Runs one operation of the contract, in one synchronous step.
 *
 * @throws {HttpError}
 */
export type Operation = (context: OperationContext) => OperationResult;
