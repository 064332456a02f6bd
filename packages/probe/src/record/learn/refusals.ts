import { isRecord, type Refusal, type RefusalTemplate } from '@service/internal';
import { listHeaders } from '../../experiments/burst.ts';
import { evaluateHeaders, evaluateRetryAfter } from '../../experiments/limits.ts';
import { evaluateErrorShape } from '../../experiments/refusals.ts';
import { type Refused, toSample, toTemplate } from '../../templates/refusal.ts';
import { evaluateError } from '../../experiments/requests.ts';
import { type Finding, found } from '../../finding.ts';
import { describeResponse } from '../../raw-client.ts';
import { learnCommonHeaders } from './responses.ts';
import { type Call, PAYMENT_PATH, type Traffic } from './traffic.ts';

/** Learns the responses to refused requests. */
export function learnRefusals(traffic: Traffic): Finding[] {
  const byKind = new Map<Refusal, Call[]>();
  for (const call of traffic.refused) {
    const kind = findKind(call, traffic);
    if (kind !== undefined) byKind.set(kind, [...(byKind.get(kind) ?? []), call]);
  }
  return [
    ...learnTemplates(byKind, traffic),
    ...learnMalformedBody(byKind.get('malformed_body')),
    ...learnLimits(traffic),
  ];
}

function learnTemplates(byKind: ReadonlyMap<Refusal, readonly Call[]>, traffic: Traffic): Finding[] {
  const seen = new Map<Refusal, Refused>();
  for (const [kind, all] of byKind) {
    const calls = selectCommon(all);
    const samples = calls.map((call) => toSample(call.response, listInvalidFields(call)));
    seen.set(kind, { responses: calls.map(({ response }) => response), samples });
  }
  const shape = learnErrorShape(byKind, seen);
  const usual = shape?.state === 'found' ? shape.value : 'envelope';
  const headers = new Map(Object.entries(learnCommonHeaders(traffic)));
  const templates = [...seen].flatMap(([kind, refused]): [Refusal, RefusalTemplate][] => {
    const template = toTemplate(kind, { ...refused, usual, body: undefined, headers });
    return Object.keys(template).length === 0 ? [] : [[kind, template]];
  });
  const evidence = [...seen].flatMap(([kind, { responses }]) =>
    responses.slice(0, 1).map((response) => `${kind} ${describeResponse(response)}`),
  );
  return [
    ...(shape?.state === 'found' ? [shape] : []),
    ...(templates.length === 0
      ? []
      : [found('refusals', Object.fromEntries(templates), evidence.join(', '))]),
  ];
}

/** Learns the body of most errors. */
function learnErrorShape(
  byKind: ReadonlyMap<Refusal, readonly Call[]>,
  seen: ReadonlyMap<Refusal, Refused>,
): Finding | undefined {
  const [call] = byKind.get('validation') ?? [];
  if (call === undefined) return undefined;
  return evaluateErrorShape(evaluateError(call.response, `an invalid ${call.method} ${call.path}`), seen);
}

/** Returns the calls with the most frequent status: a gateway has more than one for an outage. */
function selectCommon(calls: readonly Call[]): readonly Call[] {
  const statuses = [...new Set(calls.map(({ response }) => response.status))];
  const groups = statuses.map((status) => calls.filter(({ response }) => response.status === status));
  return groups.toSorted((one, two) => two.length - one.length)[0] ?? [];
}

const bodyFields = [
  'from_currency',
  'to_currency',
  'amount',
  'beneficiary_name',
  'beneficiary_bank',
  'beneficiary_account',
  'beneficiary_country',
  'purpose',
  'per_page',
  'status',
  'type',
];

/** Returns the fields of the request that the response names, in its order. */
function listInvalidFields({ response: { body } }: Call): string[] {
  if (!isRecord(body)) return [];
  const json = JSON.stringify(body);
  const at = (name: string): number => json.indexOf(`"${name}"`);
  // A form in which errors are a list under the names of the fields, or beside them.
  const named = bodyFields.filter((name) => name !== 'status' && name !== 'type' && at(name) >= 0);
  return named.toSorted((one, two) => at(one) - at(two));
}

/** The paths of the service, and their methods. */
const operations: readonly (readonly [path: RegExp, method: string])[] = [
  [/^\/quotes$/, 'POST'],
  [/^\/payments$/, 'POST'],
  [PAYMENT_PATH, 'GET'],
  [/^\/balance$/, 'GET'],
  [/^\/transactions$/, 'GET'],
];

/** Returns the reason for a refusal. Undefined if the request and the response do not show it. */
function findKind(call: Call, traffic: Traffic): Refusal | undefined {
  const { method, path, response } = call;
  const { status, text } = response;
  const own = operations.filter(([pattern]) => pattern.test(path));
  const isOperation = own.some(([, verb]) => verb === method);
  if (status >= 500) return 'server_error';
  if (status === 429) return 'rate_limit';
  if (status === 401) return 'authentication';
  if (status === 413) return 'body_size';
  if (status === 415) return 'media_type';
  if (own.length === 0) return status === 404 ? 'unknown_path' : undefined;
  if (!isOperation) return 'unknown_method';
  if (status === 404) return isPayment(call, traffic) ? undefined : 'unknown_payment';
  if (status === 403 && PAYMENT_PATH.test(path)) return 'foreign_payment';
  if (isMalformed(call)) return 'malformed_body';
  if (method !== 'POST') return status === 400 || status === 422 ? 'validation' : undefined;
  const repeated = findRepeated(call, traffic);
  if (repeated !== undefined && (status === 409 || /idempoten/i.test(text)))
    return JSON.stringify(repeated.sent) === JSON.stringify(call.sent) ? 'key_reused' : 'key_of_other_body';
  if (/insufficient|funds/i.test(text)) return 'insufficient_funds';
  return status === 400 || status === 422 ? 'validation' : undefined;
}

/** Returns whether a path is the one of a payment of the recording, which reads did not show yet. */
function isPayment({ path }: Call, { payments }: Traffic): boolean {
  const [, id] = PAYMENT_PATH.exec(path) ?? [];
  return payments.some((payment) => payment.id === id);
}

function isMalformed({ exchange: { request } }: Call): boolean {
  return request.text !== undefined && /json/i.test(request.headers['content-type'] ?? 'json');
}

function keyOf({ exchange }: Call): string | undefined {
  return exchange.request.headers['idempotency-key'];
}

/** Returns an earlier request with the same idempotency key. */
function findRepeated(call: Call, { calls }: Traffic): Call | undefined {
  const key = keyOf(call);
  if (key === undefined) return undefined;
  return calls.slice(0, calls.indexOf(call)).find((earlier) => keyOf(earlier) === key);
}

function learnMalformedBody([call]: readonly Call[] = []): Finding[] {
  const status = call?.response.status;
  if (call === undefined || (status !== 400 && status !== 422)) return [];
  return [found('malformedBody', status, `a body that is not JSON: ${describeResponse(call.response)}`)];
}

/** Learns the headers of the rate limit. */
function learnLimits({ calls }: Traffic): Finding[] {
  const limited = calls.find(({ response }) => response.status === 429);
  const call = limited ?? calls.find(({ response }) => listHeaders(response).length > 0);
  if (call === undefined) return [];
  const names = listHeaders(call.response);
  const evidence = `${call.response.status}: ${names.join(', ') || 'no rate limit headers'}`;
  return [
    evaluateHeaders(call.response, names, evidence),
    ...(limited ? [evaluateRetryAfter(limited.response)].filter(({ state }) => state !== 'unknown') : []),
  ];
}
