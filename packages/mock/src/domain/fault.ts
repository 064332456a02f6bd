import type { ErrorType } from '@service/contract';

/** Whether the operation runs before the fault changes its response. The default depends on the kind. */
interface Committing {
  readonly commit?: boolean;
}

/** Delays the response by `ms` of real time. With `commit: false` it delays the operation. */
export interface LatencyFault extends Committing {
  readonly kind: 'latency';
  /** Delay in milliseconds, from 0 to 3 600 000. */
  readonly ms: number;
}

/** Responds with an error status and the error envelope. */
export interface StatusFault extends Committing {
  readonly kind: 'status';
  /** The HTTP status, from 400 to 599. */
  readonly status: number;
  /** @default the type that belongs to the status */
  readonly type?: ErrorType;
  /**
   * The `Retry-After` header, in seconds.
   *
   * @default 1 for 429 and 503; no header for other statuses
   */
  readonly retryAfter?: number;
}

/** Responds 429 with rate limit headers. */
export interface RateLimitFault extends Committing {
  readonly kind: 'rate_limit';
  /**
   * The `Retry-After` header, in seconds.
   *
   * @default 1
   */
  readonly retryAfter?: number;
}

/** Responds with an HTML page, as gateways do, or without a body. */
export interface BodyFault extends Committing {
  readonly kind: 'html' | 'empty';
  /**
   * The HTTP status, from 200 to 599.
   *
   * @default 502
   */
  readonly status?: number;
}

/**
 * Damages the response: labels it as HTML, truncates it, stalls in the middle, or sends bytes that are not
 * HTTP.
 */
export interface AnswerFault extends Committing {
  readonly kind: 'wrong_content_type' | 'truncated' | 'stalled' | 'garbage';
}

/** Resets the connection before or after the operation runs. */
export interface ResetFault {
  readonly kind: 'reset_before_commit' | 'reset_after_commit';
}

/** A fault of a request. */
export type Fault = LatencyFault | StatusFault | RateLimitFault | BodyFault | AnswerFault | ResetFault;

/** The kind of a request fault. */
export type FaultKind = Fault['kind'];

const commits: Readonly<Record<FaultKind, boolean>> = {
  latency: true,
  status: false,
  rate_limit: false,
  html: false,
  empty: false,
  wrong_content_type: true,
  truncated: true,
  stalled: true,
  reset_before_commit: false,
  reset_after_commit: true,
  garbage: true,
};

/** The kinds of request faults. */
export const faultKinds: readonly FaultKind[] = Object.keys(commits) as FaultKind[];

/** Returns whether the operation runs before the fault changes its response. */
export function commitsFirst(fault: Fault): boolean {
  const asked = 'commit' in fault ? fault.commit : undefined;
  return asked ?? commits[fault.kind];
}

/** Returns whether a fault needs a response body. Responses to HEAD have none. */
export function needsBody({ kind }: Fault): boolean {
  return kind === 'truncated' || kind === 'stalled';
}
