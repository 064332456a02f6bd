import type { RequestFaultOptions } from '@service/mock';
import type { ExpectedObservation, Observation } from './observation.ts';

/** A fault of a create, and the observation of its client. */
export interface FaultCase {
  fault: RequestFaultOptions;
  isCreated: boolean;
  /** The result of `payments.create` without retries. */
  ending: 'resolves' | 'rejected' | 'unknown';
  observes: ExpectedObservation;
  /** The observation over transports that cannot reproduce the fault. The request log marks it `degraded`. */
  degraded?: { transports: string[]; observes: Observation };
}

/** The response without a fault. */
const normal: Observation = { status: 201, type: 'application/json', body: 'complete' };
const HTML = 'text/html; charset=utf-8';
const JSON_TYPE = 'application/json';
const htmlPage = /^<!doctype html>\n/;

/** MSW has one network error for every request without a response. */
const networkError = {
  transports: ['MSW 3 in Node', 'MSW 2 in Node', 'MSW 3 in a browser'],
  observes: { rejects: 'TypeError' },
};
const reset = {
  ending: 'unknown' as const,
  observes: { rejects: 'TypeError, ECONNRESET' },
  degraded: networkError,
};

/** Every kind of fault, with the expected observation and result. */
export const faultCases: FaultCase[] = [
  { fault: { kind: 'latency', ms: 5 }, isCreated: true, ending: 'resolves', observes: normal },
  { fault: { kind: 'latency', ms: 5, commit: false }, isCreated: true, ending: 'resolves', observes: normal },
  {
    fault: { kind: 'status', status: 500 },
    isCreated: false,
    ending: 'unknown',
    observes: { status: 500, type: JSON_TYPE, body: /"server_error"/ },
  },
  {
    fault: { kind: 'status', status: 422 },
    isCreated: false,
    ending: 'rejected',
    observes: { status: 422, type: JSON_TYPE, body: /"validation_error"/ },
  },
  {
    fault: { kind: 'status', status: 503, commit: true, retryAfter: 7 },
    isCreated: true,
    ending: 'unknown',
    observes: { status: 503, type: JSON_TYPE, body: /"service_unavailable"/ },
  },
  {
    fault: { kind: 'status', status: 401 },
    isCreated: false,
    ending: 'rejected',
    observes: { status: 401, type: JSON_TYPE, body: /"authentication_error"/ },
  },
  {
    fault: { kind: 'rate_limit', retryAfter: 3 },
    isCreated: false,
    ending: 'rejected',
    observes: { status: 429, type: JSON_TYPE, body: /"rate_limit_error"/ },
  },
  {
    fault: { kind: 'html' },
    isCreated: false,
    ending: 'unknown',
    observes: { status: 502, type: HTML, body: htmlPage },
  },
  ...[200, 201].map((status) => ({
    fault: { kind: 'html' as const, status, commit: true },
    isCreated: true,
    ending: 'unknown' as const,
    observes: { status, type: HTML, body: htmlPage },
  })),
  {
    fault: { kind: 'empty' },
    isCreated: false,
    ending: 'unknown',
    observes: { status: 502, type: null, body: '' },
  },
  ...[201, 204, 502].map((status) => ({
    fault: { kind: 'empty' as const, status, commit: true },
    isCreated: true,
    ending: 'unknown' as const,
    observes: { status, type: null, body: '' },
  })),
  {
    fault: { kind: 'wrong_content_type' },
    isCreated: true,
    // The client parses valid JSON of any Content-Type.
    ending: 'resolves',
    observes: { status: 201, type: HTML, body: 'complete' },
  },
  {
    fault: { kind: 'truncated' },
    isCreated: true,
    ending: 'unknown',
    observes: { status: 201, type: JSON_TYPE, body: 'cut off' },
  },
  {
    fault: { kind: 'stalled' },
    isCreated: true,
    ending: 'unknown',
    observes: { status: 201, type: JSON_TYPE, body: 'stalled' },
  },
  { fault: { kind: 'reset_before_commit' }, isCreated: false, ...reset },
  { fault: { kind: 'reset_after_commit' }, isCreated: true, ...reset },
  {
    fault: { kind: 'garbage' },
    isCreated: true,
    ending: 'unknown',
    observes: { rejects: 'TypeError, HTTPParserError' },
    degraded: networkError,
  },
];

/** Transports that may lose the received part of a broken body: Chromium drops buffered chunks when a stream fails. */
export const lossyTransports: readonly string[] = ['MSW 3 in a browser'];
