import type { Mode, OperationId } from '@service/contract';
import type { FaultKind } from '../domain/fault.ts';
import type { LoggedResponse, LoggedRequest } from '../state/logged-request.ts';
import { isDegraded, type Transport } from '../state/transport.ts';
import type { Effects, FindEffects } from './effects.ts';
import { redactHeader, redactKeys } from './redact.ts';

/** Shows the response of the service as it was made; what a fault made of it on its way, `fault` says. */
export interface ResponseView {
  readonly status: number;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  /** The body parsed; undefined when it is no JSON. */
  readonly json: unknown;
}

/** Names the fault that fired at a request. */
export interface FiredFault {
  readonly id: string;
  readonly kind: FaultKind;
  /** Whether the way in could only come near to it. */
  readonly degraded: boolean;
}

/** Shows a request that reached the service, with what became of it; all that looks like an API key is struck out. */
export interface RequestView {
  /** The `X-Request-Id` of its response. */
  readonly id: string;
  /** ISO 8601, in the time of the sandbox. */
  readonly at: string;
  readonly transport: Transport;
  /** The id of the account whose key it bore, or null. */
  readonly account: string | null;
  readonly mode: Mode | null;
  /** The operation that its method and path name, or null. */
  readonly operation: OperationId | null;
  readonly method: string;
  readonly path: string;
  /** As it was sent, without the question mark. */
  readonly query: string;
  /** By lower-case name; `authorization`, `x-api-key`, `cookie` and `proxy-authorization` are '[redacted]'. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body as text; null where there was none, or where the service did not read it. */
  readonly body: string | null;
  /** The body parsed; undefined when it is no JSON. */
  readonly json: unknown;
  /** Null while the request is being answered. */
  readonly response: ResponseView | 'connection_lost' | null;
  readonly fault: FiredFault | null;
  /** What followed from it until now. */
  readonly effects: Effects;
}

/** Shows a record of the journal. */
export function toRequestView(record: LoggedRequest, findEffects: FindEffects): RequestView {
  const { account, accountState, fault } = record;
  return {
    id: record.id,
    at: new Date(record.at).toISOString(),
    transport: record.transport,
    account,
    mode: accountState === null ? null : accountState.mode,
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

/** Shows headers by their lower-case names, several of one name joined by a comma. */
function toHeaderRecord(headers: Iterable<readonly [name: string, value: string]>): Record<string, string> {
  const shown = new Map<string, string>();
  for (const [spelt, value] of headers) {
    const name = redactKeys(spelt.toLowerCase());
    const earlier = shown.get(name);
    const redacted = redactHeader(name, value);
    shown.set(name, earlier === undefined ? redacted : `${earlier}, ${redacted}`);
  }
  return Object.fromEntries(shown);
}

function toBodyView(text: string | null): { body: string | null; json: unknown } {
  if (text === null) return { body: null, json: undefined };
  const body = redactKeys(text);
  return { body, json: parseJson(body) };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
