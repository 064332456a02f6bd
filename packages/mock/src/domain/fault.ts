import type { ErrorType } from '@service/contract';

/** Says whether the operation is carried out before its answer is spoilt; the default is the kind's own (`commitsFirst`). */
interface Committing {
  readonly commit?: boolean;
}

/** Holds an answer back for `ms` of real time; with `commit: false` the operation itself waits. */
export interface LatencyFault extends Committing {
  readonly kind: 'latency';
  /** In milliseconds, from 0 to 3 600 000. */
  readonly ms: number;
}

/** Answers with the error envelope. */
export interface StatusFault extends Committing {
  readonly kind: 'status';
  /** From 400 to 599. */
  readonly status: number;
  /** Default: the type that goes with the status (contract.md 6). */
  readonly type?: ErrorType;
  /** In seconds. A 429 and a 503 say 1 when it is left out, any other status nothing. */
  readonly retryAfter?: number;
}

/** Answers 429 with the headers of a rate limit. */
export interface RateLimitFault extends Committing {
  readonly kind: 'rate_limit';
  /**
   * In seconds.
   *
   * @default 1
   */
  readonly retryAfter?: number;
}

/** Answers with a page as gateways show it, or with no body at all. */
export interface BodyFault extends Committing {
  readonly kind: 'html' | 'empty';
  /**
   * From 200 to 599.
   *
   * @default 502
   */
  readonly status?: number;
}

/** Says that the answer is HTML, cuts it in the middle, lets it hang there, or sends bytes that are no HTTP. */
export interface AnswerFault extends Committing {
  readonly kind: 'wrong_content_type' | 'truncated' | 'stalled' | 'garbage';
}

/** Resets the connection instead of an answer, before or after the operation is carried out. */
export interface ResetFault {
  readonly kind: 'reset_before_commit' | 'reset_after_commit';
}

/** Describes what goes wrong with a call. */
export type Fault = LatencyFault | StatusFault | RateLimitFault | BodyFault | AnswerFault | ResetFault;

/** Names what goes wrong with a call. */
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

/** Lists the kinds of faults. */
export const faultKinds: readonly FaultKind[] = Object.keys(commits) as FaultKind[];

/** Tells whether the operation is carried out before its answer is spoilt. */
export function commitsFirst(fault: Fault): boolean {
  const asked = 'commit' in fault ? fault.commit : undefined;
  return asked ?? commits[fault.kind];
}

/** Tells whether a fault needs a body to spoil; the answer to HEAD has none. */
export function needsBody({ kind }: Fault): boolean {
  return kind === 'truncated' || kind === 'stalled';
}
