import { expect } from 'vitest';
import type { FaultOptions } from '@service/mock';
import type { Sight } from './sight.ts';

/** A fault at a create, and what its caller sees. */
export type FaultCase = {
  fault: FaultOptions;
  isMade: boolean;
  sees: Sight;
  /** What is seen where a way can only come near to it, which the journal then says. */
  nearly?: { over: string[]; sees: Sight };
};

/** The answer as it is without a fault. */
const sound: Sight = { status: 201, type: 'application/json', body: 'whole' };
const HTML = 'text/html; charset=utf-8';
const JSON_TYPE = 'application/json';

/** Whoever has MSW in between has one network error for all that is no answer. */
const networkError = {
  over: ['MSW 3 in Node', 'MSW 2 in Node', 'MSW 3 in a browser'],
  sees: { rejects: 'TypeError' },
};
const reset = { sees: { rejects: 'TypeError, ECONNRESET' }, nearly: networkError };

/** What each kind of fault looks like to the caller, over every way. */
export const faultCases: FaultCase[] = [
  { fault: { kind: 'latency', ms: 5 }, isMade: true, sees: sound },
  { fault: { kind: 'latency', ms: 5, commit: false }, isMade: true, sees: sound },
  {
    fault: { kind: 'status', status: 500 },
    isMade: false,
    sees: { status: 500, type: JSON_TYPE, body: expect.stringMatching(/"server_error"/) },
  },
  {
    fault: { kind: 'status', status: 503, commit: true, retryAfter: 7 },
    isMade: true,
    sees: { status: 503, type: JSON_TYPE, body: expect.stringMatching(/"service_unavailable"/) },
  },
  {
    fault: { kind: 'status', status: 401 },
    isMade: false,
    sees: { status: 401, type: JSON_TYPE, body: expect.stringMatching(/"authentication_error"/) },
  },
  {
    fault: { kind: 'rate_limit', retryAfter: 3 },
    isMade: false,
    sees: { status: 429, type: JSON_TYPE, body: expect.stringMatching(/"rate_limit_error"/) },
  },
  {
    fault: { kind: 'html' },
    isMade: false,
    sees: { status: 502, type: HTML, body: expect.stringMatching(/^<!doctype html>\n/) },
  },
  {
    fault: { kind: 'html', status: 201, commit: true },
    isMade: true,
    sees: { status: 201, type: HTML, body: expect.stringMatching(/^<!doctype html>\n/) },
  },
  { fault: { kind: 'empty' }, isMade: false, sees: { status: 502, type: null, body: '' } },
  {
    fault: { kind: 'empty', status: 204, commit: true },
    isMade: true,
    sees: { status: 204, type: null, body: '' },
  },
  { fault: { kind: 'wrong_content_type' }, isMade: true, sees: { status: 201, type: HTML, body: 'whole' } },
  {
    fault: { kind: 'truncated' },
    isMade: true,
    sees: { status: 201, type: JSON_TYPE, body: 'a part, then it breaks off' },
  },
  {
    fault: { kind: 'stalled' },
    isMade: true,
    sees: { status: 201, type: JSON_TYPE, body: 'a part, then nothing more' },
  },
  { fault: { kind: 'reset_before_commit' }, isMade: false, ...reset },
  { fault: { kind: 'reset_after_commit' }, isMade: true, ...reset },
  {
    fault: { kind: 'garbage' },
    isMade: true,
    sees: { rejects: 'TypeError, HTTPParserError' },
    nearly: networkError,
  },
];

/** Ways on which a part that came may get lost when the rest breaks off: Chromium drops what a stream held when it fails. */
export const forgetful: readonly string[] = ['MSW 3 in a browser'];
