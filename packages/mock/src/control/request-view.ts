import type { Mode, OperationId } from '@service/contract';
import type { FaultKind } from '../domain/fault.ts';
import type { LoggedResponse, LoggedRequest } from '../state/logged-request.ts';
import { isDegraded, type Transport } from '../state/transport.ts';
import type { Effects, FindEffects } from './effects.ts';
import { parseJson, redactKeys } from '@service/internal';

/** The response before damage by a fault. */
export interface ResponseView {
  /** The HTTP status. */
  readonly status: number;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body as text, or null without one. */
  readonly body: string | null;
  /** The parsed body; undefined if it is not JSON. */
  readonly json: unknown;
}

/** The fault that fired at a request. */
export interface FiredFault {
  /** The id (`flt_…`) of its handle and in `faults.list()`. */
  readonly id: string;
  /** The effect on the request, such as `'latency'`. */
  readonly kind: FaultKind;
  /** Whether the transport could not reproduce the fault exactly. */
  readonly degraded: boolean;
}

/** A request to the service with its response and effects. API keys are redacted. */
export interface RequestView {
  /** The `X-Request-Id` of its response. */
  readonly id: string;
  /** Sandbox time, ISO 8601. */
  readonly at: string;
  /** How the request reached the sandbox: an injected `fetch`, MSW, or a socket. */
  readonly transport: Transport;
  /** The id of the account of the API key, or null. */
  readonly account: string | null;
  /** The mode of the API key, or null without a valid key. */
  readonly mode: Mode | null;
  /** The operation of its method and path, or null. */
  readonly operation: OperationId | null;
  /** The HTTP method, in capitals. */
  readonly method: string;
  /** The path of the URL without the query. */
  readonly path: string;
  /** As it was sent, without the question mark. */
  readonly query: string;
  /**
   * By lower-case name; `authorization`, `x-api-key`, `cookie` and `proxy-authorization` are `'[redacted]'`.
   */
  readonly headers: Readonly<Record<string, string>>;
  /** The body as text; null for a request without one and for a body that the service did not read. */
  readonly body: string | null;
  /** The parsed body; undefined if it is not JSON. */
  readonly json: unknown;
  /** Null until the response. */
  readonly response: ResponseView | 'connection_lost' | null;
  /** The injected fault of the request, or null. */
  readonly fault: FiredFault | null;
  /** The effects of the request so far. */
  readonly effects: Effects;
}

/** Converts a logged request to its view. */
export function toRequestView(record: LoggedRequest, findEffects: FindEffects): RequestView {
  const { account, accountState, fault } = record;
  return {
    id: record.id,
    at: new Date(record.at).toISOString(),
    transport: record.transport,
    account,
    mode: record.mode,
    operation: record.operation,
    method: redactKeys(record.method),
    path: redactKeys(record.path),
    query: redactKeys(record.search),
    headers: toHeaderRecord(record.headers),
    ...toBodyView(record.body),
    response: toResponseView(record.response),
    fault: fault === null ? null : { ...fault, degraded: isDegraded(record.transport, fault.kind) },
    effects: findEffects(accountState, record.payment_id),
  };
}

function toResponseView(response: LoggedResponse | null): RequestView['response'] {
  if (response === null || response === 'connection_lost') return response;
  const { status, headers, body } = response;
  return { status, headers: toHeaderRecord(Object.entries(headers)), ...toBodyView(body) };
}

/** Converts headers to lower-case names, with multiple values joined by a comma. */
function toHeaderRecord(headers: Iterable<readonly [name: string, value: string]>): Record<string, string> {
  const merged = new Map<string, string>();
  for (const [spelt, value] of headers) {
    const name = redactKeys(spelt.toLowerCase());
    const earlier = merged.get(name);
    const redacted = redactHeader(name, value);
    merged.set(name, earlier === undefined ? redacted : `${earlier}, ${redacted}`);
  }
  return Object.fromEntries(merged);
}

function toBodyView(text: string | null): { body: string | null; json: unknown } {
  if (text === null) return { body: null, json: undefined };
  const body = redactKeys(text);
  return { body, json: parseJson(body) };
}

const secretHeaders = new Set(['authorization', 'cookie', 'proxy-authorization', 'x-api-key']);

/** Redacts a header by its lower-case name: secret headers completely, others only API keys. */
function redactHeader(name: string, value: string): string {
  return secretHeaders.has(name) ? '[redacted]' : redactKeys(value);
}
