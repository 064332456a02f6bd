import type { components, ErrorType } from '@service/contract';
import { errorTypes } from './api-error.ts';
import { CONNECTION_LOST, type Draft, type DraftResult, statusesWithoutBody } from './response.ts';
import * as s from './schema.ts';

/** A fault of a request. */
export type Fault =
  | ((
      | {
          /**
           * Delays the response by `ms` of real time. With `commit: false` it delays the operation, which then also runs if
           * the client has left. Removing the fault ends the delay.
           */
          readonly kind: 'latency';
          /** Delay in milliseconds, from 0 to 3 600 000. */
          readonly ms: number;
        }
      | {
          /** Responds with an error of the service. */
          readonly kind: 'status';
          /** The HTTP status, from 400 to 599. */
          readonly status: number;
          /**
           * The error type in the body.
           *
           * @default the type that belongs to the status
           */
          readonly type?: components['schemas']['ErrorType'];
          /**
           * The `Retry-After` header, in seconds.
           *
           * @default 1 for 429 and 503; no header for other statuses
           */
          readonly retryAfter?: number;
        }
      | {
          /** Responds 429 with rate limit headers. */
          readonly kind: 'rate_limit';
          /**
           * The `Retry-After` header, in seconds.
           *
           * @default 1
           */
          readonly retryAfter?: number;
        }
      | {
          /** Responds with an HTML page, as gateways do (`html`), or without a body (`empty`). */
          readonly kind: 'html' | 'empty';
          /**
           * The HTTP status, from 200 to 599.
           *
           * @default 502
           */
          readonly status?: number;
        }
      | {
          /** Sends half of the body. */
          readonly kind: 'truncated';
          /**
           * The `Content-Length`: that of the whole body, so that the connection breaks, or that of the half.
           *
           * @default 'full'
           */
          readonly contentLength?: 'full' | 'half';
        }
      | {
          /** Damages the response: labels it as HTML, stalls in the middle, or sends bytes that are not HTTP. */
          readonly kind: 'wrong_content_type' | 'stalled' | 'garbage';
        }
    ) & {
      /**
       * Whether the operation runs before the fault changes its response.
       *
       * @default false for `status`, `rate_limit`, `html` and `empty`; true for the other kinds
       */
      readonly commit?: boolean;
    })
  | {
      /** Resets the connection before the operation runs, or after it. */
      readonly kind: 'reset_before_commit' | 'reset_after_commit';
    };

type FaultKind = Fault['kind'];

/** A fault that responds with an error status and the error envelope. */
export type StatusFault = Extract<Fault, { readonly kind: 'status' }>;

/** Creates the error response of a status, with the headers that the service sends with it. */
export type RespondWithStatus = (fault: Omit<StatusFault, 'kind'>) => Draft;

const MAX_COUNT = 1_000_000;
const htmlHeaders = { 'Content-Type': 'text/html; charset=utf-8' };

const commit = s.optional(s.boolean);
const retryAfter = s.optional(
  s.whole(0, MAX_COUNT, { description: 'a whole number of seconds, for status and rate_limit' }),
);
const statusText = { description: 'an HTTP status, for the kinds status, html and empty' };
const anyStatus = s.whole(200, 599, statusText);
const statusWithBody: s.Schema<number> = s.accept(
  `${anyStatus.expected} that has a body`,
  (value) => !statusesWithoutBody.has(Number(value)) && s.parseAs(anyStatus, value) !== undefined,
  anyStatus.json,
);

/** The options of each kind of request fault. */
const requestOptions: {
  readonly [Kind in FaultKind]: {
    readonly [Name in Exclude<keyof (Fault & { readonly kind: Kind }), 'kind'>]-?: s.Schema;
  };
} = {
  latency: {
    ms: s.whole(0, 3_600_000, { description: 'a number of milliseconds, for latency' }),
    commit,
  },
  status: {
    status: s.whole(400, 599, statusText),
    type: s.optional(s.oneOf(Object.keys(errorTypes) as ErrorType[])),
    retryAfter,
    commit,
  },
  rate_limit: { retryAfter, commit },
  html: { status: s.optional(statusWithBody), commit },
  empty: { status: s.optional(anyStatus), commit },
  wrong_content_type: { commit },
  truncated: { contentLength: s.optional(s.oneOf(['full', 'half'])), commit },
  stalled: { commit },
  reset_before_commit: {},
  reset_after_commit: {},
  garbage: { commit },
};

/** The kinds of request faults. */
export const faultKinds: readonly Fault['kind'][] = Object.keys(requestOptions) as FaultKind[];

/** The kinds whose operation runs only with the option `commit`. */
const uncommitted = new Set<FaultKind>(['status', 'rate_limit', 'html', 'empty', 'reset_before_commit']);

/** Returns whether the operation runs before the fault changes its response. */
export function commitsFirst(fault: Fault): boolean {
  const asked = 'commit' in fault ? fault.commit : undefined;
  return asked ?? !uncommitted.has(fault.kind);
}

/** Returns whether a fault needs a response body. Responses to HEAD and those with the status 204, 205 or 304 have none. */
export function needsBody({ kind }: Fault): boolean {
  return kind === 'truncated' || kind === 'stalled';
}

/** Applies a fault to a response or a lost connection. */
export function applyFault(
  fault: Fault,
  response: DraftResult,
  respondWithStatus: RespondWithStatus,
): DraftResult {
  const { kind } = fault;
  if (kind === 'status') return respondWithStatus(fault);
  if (kind === 'rate_limit') return respondWithStatus({ ...fault, status: 429 });
  if (kind === 'html' || kind === 'empty') {
    const { status = 502 } = fault;
    return kind === 'empty'
      ? { status, headers: {}, body: null }
      : { status, headers: htmlHeaders, body: writePage(status) };
  }
  if (kind === 'reset_before_commit' || kind === 'reset_after_commit') return CONNECTION_LOST;
  if (response === CONNECTION_LOST || kind === 'latency') return response;
  if (kind === 'wrong_content_type') return { ...response, headers: { ...response.headers, ...htmlHeaders } };
  if (needsBody(fault) && statusesWithoutBody.has(response.status)) return response;
  const { contentLength = 'full' } = kind === 'truncated' ? fault : {};
  if (contentLength === 'full') return { ...response, damage: kind };
  return { ...response, body: response.body && response.body.slice(0, response.body.length / 2) };
}

function writePage(status: number): string {
  return `<!doctype html>\n<title>${status}</title>\n<h1>${status}</h1>\n<p>The service cannot be reached.</p>\n`;
}

/** The values of `kind` for faults of webhook deliveries. */
export const deliveryFaultKinds = [
  'duplicate',
  'reorder',
  'drop',
  'delay',
  'tamper',
  'wrong_secret',
] as const;

/** A value of `kind` for a fault of webhook deliveries. */
type DeliveryFaultKind = (typeof deliveryFaultKinds)[number];

/** A fault of the first attempt of a delivery. Later attempts are not affected. */
export interface DeliveryFault {
  readonly kind: DeliveryFaultKind;
  /** The length of a `delay`, in milliseconds of the sandbox clock; 0 for other kinds. */
  readonly by: number;
}

const MAX_DELAY = 365 * 86_400_000;

/** The options of each kind, by target. */
export const faultOptions: Readonly<Record<'request' | 'delivery', Readonly<Record<string, s.Fields>>>> = {
  request: requestOptions,
  delivery: {
    ...Object.fromEntries(deliveryFaultKinds.map((kind) => [kind, {}])),
    delay: { by: s.durationWithin(1, MAX_DELAY, "a duration from '1ms' to '365d'") },
  },
};

/** Increments the last digit of an event body, so that the body stays valid JSON with another amount. */
export function tamperBody(body: string): string {
  return body.replace(/\d(?=\D*$)/, (digit) => String((Number(digit) + 1) % 10));
}
