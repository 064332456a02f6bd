import { expect } from 'vitest';
import type { FaultOptions } from '@service/mock';
import type { Observation } from './observation.ts';

/** A fault of a create, and the observation of its client. */
export interface FaultCase {
  fault: FaultOptions;
  isCreated: boolean;
  observes: Observation;
  /** The observation over transports that cannot reproduce the fault. The request log marks it `degraded`. */
  degraded?: { transports: string[]; observes: Observation };
}

/** The response without a fault. */
const normal: Observation = { status: 201, type: 'application/json', body: 'complete' };
const HTML = 'text/html; charset=utf-8';
const JSON_TYPE = 'application/json';

/** MSW has one network error for every request without a response. */
const networkError = {
  transports: ['MSW 3 in Node', 'MSW 2 in Node', 'MSW 3 in a browser'],
  observes: { rejects: 'TypeError' },
};
const reset = { observes: { rejects: 'TypeError, ECONNRESET' }, degraded: networkError };

/** Every kind of fault, with the expected observation. */
export const faultCases: FaultCase[] = [
  { fault: { kind: 'latency', ms: 5 }, isCreated: true, observes: normal },
  { fault: { kind: 'latency', ms: 5, commit: false }, isCreated: true, observes: normal },
  {
    fault: { kind: 'status', status: 500 },
    isCreated: false,
    observes: { status: 500, type: JSON_TYPE, body: expect.stringMatching(/"server_error"/) },
  },
  {
    fault: { kind: 'status', status: 503, commit: true, retryAfter: 7 },
    isCreated: true,
    observes: { status: 503, type: JSON_TYPE, body: expect.stringMatching(/"service_unavailable"/) },
  },
  {
    fault: { kind: 'status', status: 401 },
    isCreated: false,
    observes: { status: 401, type: JSON_TYPE, body: expect.stringMatching(/"authentication_error"/) },
  },
  {
    fault: { kind: 'rate_limit', retryAfter: 3 },
    isCreated: false,
    observes: { status: 429, type: JSON_TYPE, body: expect.stringMatching(/"rate_limit_error"/) },
  },
  {
    fault: { kind: 'html' },
    isCreated: false,
    observes: { status: 502, type: HTML, body: expect.stringMatching(/^<!doctype html>\n/) },
  },
  {
    fault: { kind: 'html', status: 201, commit: true },
    isCreated: true,
    observes: { status: 201, type: HTML, body: expect.stringMatching(/^<!doctype html>\n/) },
  },
  { fault: { kind: 'empty' }, isCreated: false, observes: { status: 502, type: null, body: '' } },
  {
    fault: { kind: 'empty', status: 204, commit: true },
    isCreated: true,
    observes: { status: 204, type: null, body: '' },
  },
  {
    fault: { kind: 'wrong_content_type' },
    isCreated: true,
    observes: { status: 201, type: HTML, body: 'complete' },
  },
  {
    fault: { kind: 'truncated' },
    isCreated: true,
    observes: { status: 201, type: JSON_TYPE, body: 'cut off' },
  },
  {
    fault: { kind: 'stalled' },
    isCreated: true,
    observes: { status: 201, type: JSON_TYPE, body: 'stalled' },
  },
  { fault: { kind: 'reset_before_commit' }, isCreated: false, ...reset },
  { fault: { kind: 'reset_after_commit' }, isCreated: true, ...reset },
  {
    fault: { kind: 'garbage' },
    isCreated: true,
    observes: { rejects: 'TypeError, HTTPParserError' },
    degraded: networkError,
  },
];

/** Transports that may lose the received part of a broken body: Chromium drops buffered chunks when a stream fails. */
export const lossyTransports: readonly string[] = ['MSW 3 in a browser'];
