// The responses to refused requests.
import {
  isRecord,
  type IssueKind,
  issueKinds,
  type Refusal,
  type RefusalTemplate,
  similarRefusals,
  type Template,
  toRecord,
} from '@service/internal';
import { describeResponse, type RawResponse } from '../client.ts';
import { type Finding, found, learned, other, partly, unknown } from '../finding.ts';
import { learnIssues, learnProblemBody } from '../templates/issues.ts';
import type { KnownValues } from '../templates/known.ts';
import { readStatedLimit } from '../templates/limits.ts';
import { listLeaves, listNamed } from '../templates/places.ts';
import { groupProblems } from '../templates/problem-classes.ts';
import { isDocumentedBody, isSameBody, learnBody, withMode } from '../templates/refusal-body.ts';
import { type Refused, toSample, toTemplate } from '../templates/refusal.ts';
import { readQuote, textOf } from '../templates/values.ts';
import { type Call, findRefusal, isOwnKey, listProblems, orderFields, type Traffic } from '../traffic.ts';
import type { CommonHeaders } from './shapes.ts';

/** Returns whether a payment was refused as those that need more than the balance. */
export function isLackingFunds({ response }: Call, { lacking }: Traffic): boolean {
  return lacking.length > 0 && response.status >= 400 && isSameRefusal(response, lacking);
}

/** Returns whether a refusal has the status and the values that all others share. Numbers in texts do not count. */
export function isSameRefusal(response: RawResponse, others: readonly RawResponse[]): boolean {
  const [first, ...more] = others.map(listParts);
  if (first === undefined) return false;
  const shared = [...first].filter(([path, value]) => more.every((each) => each.get(path) === value));
  const parts = listParts(response);
  return parts.size === first.size && shared.every(([path, value]) => parts.get(path) === value);
}

/** Returns the values of a refusal by their path. */
function listParts({ status, body, text }: RawResponse): ReadonlyMap<string, unknown> {
  const parts = listLeaves(body ?? text).map(
    ([path, value]) =>
      [`body.${path}`, typeof value === 'string' ? value.replaceAll(/\d[\d.,]*/g, '#') : value] as const,
  );
  return new Map<string, unknown>([['status', status], ...parts]);
}

type Seen = Map<Refusal, Refused>;

/** Learns the responses to refused requests, and the headers of a rate limit. */
export function learnRefusals(traffic: Traffic, headers: CommonHeaders): Finding[] {
  const seen: Seen = new Map();
  const refused = traffic.calls.filter(({ response }) => response.status >= 400);
  for (const call of traffic.limited) note(seen, 'rate_limit', call, traffic);
  for (const call of refused) {
    const refusal = findRefusal(call, traffic);
    if (refusal !== undefined) note(seen, refusal, call, traffic);
  }
  return [...learnBodies(traffic, { refused, seen, headers }), ...learnRateLimit(traffic, headers)];
}

/** Adds the response of a refusal. Only responses with the same status describe a refusal. */
function note(seen: Seen, refusal: Refusal, call: Call, traffic: Traffic): void {
  const { response } = call;
  const { responses = [], samples = [] } = seen.get(refusal) ?? {};
  if (responses.some(({ status }) => status !== response.status)) return;
  const sample = toSample(response);
  const known = { ...sample.known, ...readKnown(refusal, call, traffic) };
  seen.set(refusal, { responses: [...responses, response], samples: [...samples, { ...sample, known }] });
}

/** Returns the values of the request that the response can show. */
function readKnown(refusal: Refusal, { path, sent, order }: Call, traffic: Traffic): KnownValues {
  const [, id] = /^\/payments\/(.+)$/.exec(path) ?? [];
  if (id !== undefined) return { payment_id: textOf(decodeURIComponent(id)) };
  if (refusal === 'unknown_method')
    return { allow: textOf(/^\/(quotes|payments)$/.test(path) ? 'POST' : 'GET') };
  if (refusal !== 'insufficient_funds') return {};
  const quote = traffic.quotes.findLast((one) => one.sent.amount === sent.amount && one.order < order);
  const known = readQuote({ send_amount: sent.amount, ...quote?.response.data });
  const last = traffic.balances.findLast((one) => one.order < order)?.response.data.balances;
  const wallet = (Array.isArray(last) ? last.map(toRecord) : []).find(
    ({ currency }) => currency === sent.from_currency,
  );
  const { send_amount: balance } = readQuote({ send_amount: wallet?.balance });
  const required = known.debit ?? known.send_amount;
  if (balance?.kind !== 'amount' || required?.kind !== 'amount') return known;
  return {
    ...known,
    available: balance,
    shortfall: { kind: 'amount', micro: required.micro - balance.micro },
  };
}

interface RefusedTraffic {
  readonly refused: readonly Call[];
  readonly seen: Seen;
  readonly headers: CommonHeaders;
}

function learnBodies(traffic: Traffic, { refused, seen, headers }: RefusedTraffic): Finding[] {
  const invalid = refused.flatMap((call) => readIssue(call, traffic));
  if (seen.size === 0 && invalid.length === 0)
    return (['errorShape', 'refusals', 'issues'] as const).map((name) =>
      unknown(name, 'no request was refused'),
    );
  const kinds = [...new Set(invalid.map(({ kind }) => kind))];
  const isSurvey = kinds.length >= MIN_KINDS;
  const details = isSurvey ? learnIssues(invalid, findSeveral(refused, traffic)) : undefined;
  const surveyed = isSurvey ? groupProblems(invalid, details?.path) : [];
  const groups = surveyed.map((group) => {
    const own = invalid.filter((each) => group.includes(each));
    return {
      kinds: [...new Set(own.map(({ kind }) => kind))],
      refused: { responses: own.map(({ response }) => response), samples: own.map(({ sample }) => sample) },
      body: learnProblemBody(group, details),
    };
  });
  const zero = invalid.find(({ kind }) => kind === 'amount_zero') ?? invalid[0];
  const shape = evaluateErrorShape(
    zero ? evaluateError(zero.response) : unknown('errorShape', 'no invalid request was refused'),
    seen,
  );
  const usual = shape.state === 'found' ? shape.value : 'envelope';
  const toRefusal = (name: Refusal, each: Refused, body?: Template): RefusalTemplate =>
    toTemplate(name, { ...each, usual, body, headers: new Map(Object.entries(headers.all)) });
  const templates = new Map<Refusal | IssueKind, RefusalTemplate>(
    [...seen].map(([refusal, each]) => [refusal, toRefusal(refusal, each)]),
  );
  const [most] = groups;
  for (const { kinds: own, refused: each, body } of groups) {
    const template = toRefusal('validation', each, body.template);
    if (each === most?.refused) templates.set('validation', template);
    // A body that is no object has a separate refusal.
    for (const kind of own) if (kind !== 'body' && !templates.has(kind)) templates.set(kind, template);
  }
  if (!isSurvey) {
    const few = refused.filter((call) => isInvalid(call, traffic)).map(({ response }) => response);
    const same = few.filter(({ status }) => status === few[0]?.status);
    const samples = same.map((response) => toSample(response, listNamed(response.body, namedFields)));
    if (same.length > 0) templates.set('validation', toRefusal('validation', { responses: same, samples }));
  }
  // Otherwise the details of the whole body describe it.
  const [array, usualError] = [seen.get('not_an_object'), most?.refused].map((one) => one?.responses[0]);
  if (
    array !== undefined &&
    usualError !== undefined &&
    describeResponse(array) === describeResponse(usualError)
  )
    templates.delete('not_an_object');
  const evidence = `requests with one problem: ${kinds.join(', ') || 'none was refused'}`;
  return [
    shape,
    found('refusals', selectDifferent(templates), describeRefusals(seen)),
    isSurvey
      ? learned('issues', details?.issues ?? {}, evidence, most?.body.unexplained ?? [])
      : unknown('issues', `${evidence}; others show what differs between them`),
  ];
}

/** The fewest kinds of problems that show which parts of a response are particular to one. */
const MIN_KINDS = 3;

/** The fields that a response can name. The others are also words. */
const namedFields = [...orderFields, 'per_page'];

/** Returns whether a request was refused for its fields. */
function isInvalid(call: Call, traffic: Traffic): boolean {
  const { method, path, exchange } = call;
  const isOrder = method === 'POST' && (path === '/quotes' || path === '/payments');
  if (!(isOrder || path === '/transactions') || !isOwnKey(call, traffic)) return false;
  const refusal = findRefusal(call, traffic);
  const isArray = refusal === 'not_an_object' && Array.isArray(exchange.request.body);
  if (listProblems(call).length === 0 || (refusal !== undefined && !isArray)) return false;
  return !(path === '/payments' && isLackingFunds(call, traffic));
}

/** Returns a refused request with one problem as a sample of that problem. */
function readIssue(call: Call, traffic: Traffic) {
  const { method, response, exchange, query } = call;
  const [problem, ...more] = listProblems(call);
  if (problem === undefined || more.length > 0 || !isInvalid(call, traffic)) return [];
  const { kind, field, value } = problem;
  if (!isKind(kind) || (kind === 'page' && response.status === 404)) return [];
  const request = method === 'GET' ? Object.fromEntries(query) : exchange.request.body;
  return [{ kind, field, value, request, response, sample: toSample(response, field === '' ? [] : [field]) }];
}

function isKind(kind: string): kind is IssueKind {
  return issueKinds.some((each) => each === kind);
}

/** Returns the response to a request without its required fields. */
function findSeveral(refused: readonly Call[], traffic: Traffic) {
  const call = refused.find(
    (one) =>
      isOwnKey(one, traffic) && one.method === 'POST' && JSON.stringify(one.exchange.request.body) === '{}',
  );
  if (call === undefined) return undefined;
  const fields = ['from_currency', 'to_currency', 'amount'];
  const { body, text } = call.response;
  return { json: body ?? text, fields: call.path === '/payments' ? [...fields, 'beneficiary_name'] : fields };
}

/** Returns the templates that differ from the one of a similar refusal, or else from the responses of the mock. */
function selectDifferent(
  templates: ReadonlyMap<Refusal | IssueKind, RefusalTemplate>,
): Readonly<Record<string, RefusalTemplate>> {
  const different = [...templates].filter(([name, template]) => {
    const kind = name.endsWith('_missing') && templates.has('missing') ? 'missing' : 'validation';
    const similar = isKind(name) ? kind : similarRefusals[name];
    const usual = (similar && templates.get(similar)) ?? {};
    return JSON.stringify(template) !== JSON.stringify(usual);
  });
  return Object.fromEntries(different);
}

function describeRefusals(seen: Seen): string {
  return [...seen]
    .flatMap(
      ([
        refusal,
        {
          responses: [first],
        },
      ]) => (first ? [`${refusal} ${describeResponse(first)}`] : []),
    )
    .join(', ');
}

/** Determines the named form of the response to an invalid request. */
function evaluateError(response: RawResponse): Finding {
  const { status, text, body } = response;
  if (status !== 400 && status !== 422)
    return unknown('errorShape', `an invalid request: ${describeResponse(response)}`);
  if (!isRecord(body)) {
    const evidence = `an invalid request: ${status} ${text.slice(0, 60).replaceAll(/\s+/g, ' ')}`;
    return /^\s*</.test(text) ? found('errorShape', 'html', evidence) : other('errorShape', evidence);
  }
  const fields = Object.entries(body).flatMap(([name, value]) =>
    name === 'error' && isRecord(value) ? Object.keys(value).map((inner) => `error.${inner}`) : name,
  );
  const evidence = `an invalid request: ${status} with the fields ${fields.join(', ') || 'none'}`;
  const { error, message, success, mode: _, ...others } = body;
  const { type, message: inner, ...details } = toRecord(error);
  const isAlone = Object.keys(others).length === 0;
  if (error === undefined && typeof message === 'string' && isAlone)
    return found('errorShape', 'bare', evidence);
  const isEnvelope = typeof type === 'string' && typeof inner === 'string' && success === false;
  const names = Object.keys(details).toSorted().join(' ');
  if (!isEnvelope || !isAlone || message !== undefined || !['', 'fields status'].includes(names))
    return other('errorShape', evidence);
  return found('errorShape', names === '' ? 'envelope' : 'extra', evidence);
}

/** Refusals with the errors of most operations; their bodies have no details. */
const usualRefusals: readonly Refusal[] = [
  'authentication',
  'unknown_payment',
  'foreign_payment',
  'insufficient_funds',
  'key_reused',
];

/** Determines the body of most errors: a named one, or the one that most of some refusals have. */
function evaluateErrorShape(named: Finding, seen: Seen): Finding {
  if (named.state === 'found' && named.value !== 'envelope') return named;
  const names = usualRefusals.filter((name) => seen.has(name));
  const bodies = names.map((name) => withMode(name, learnBody(seen.get(name)?.samples ?? [])));
  const counted = bodies.map((body) => ({
    body,
    count: bodies.filter((each) => isSameBody(each, body)).length,
  }));
  const [first] = counted.toSorted((one, two) => two.count - one.count);
  if (first === undefined || first.count < 2 || !isRecord(first.body)) return named;
  const evidence = `${named.evidence}; the errors of ${names.join(', ')}`;
  return found('errorShape', isDocumentedBody(first.body) ? 'envelope' : { body: first.body }, evidence);
}

/** Returns the names of the rate limit headers of a response. */
const namesOf = ({ response }: Call): string[] =>
  [...response.headers.keys()].filter((name) => /^(x-)?ratelimit/.test(name));

/** Learns the headers of a rate limit from a 429, or else from any response with them. */
function learnRateLimit({ calls, limited: [limited] }: Traffic, common: CommonHeaders): Finding[] {
  const call = limited ?? calls.find((one) => namesOf(one).length > 0);
  const all = new Map(Object.entries(common.all));
  const stated = readStatedLimit(common.readings, all);
  const missing = 'the window, which is not measured: the headers state it';
  const window = stated
    ? partly('rateLimit', [missing], `headers state ${stated.requests} requests and ${stated.seconds} s`, {
        requests: stated.requests,
        window: `${stated.seconds}s`,
      })
    : unknown('rateLimit', 'not measured: set the number of requests and the window by hand');
  if (call === undefined) {
    const reason = 'no limit in this run; a higher `burst` sends more requests at once';
    return [unknown('rateLimitHeaders', reason), unknown('retryAfter', reason), window];
  }
  const names = namesOf(call);
  const text = call.response.headers.get('retry-after');
  const evidence = `${call.response.status}: ${names.join(', ') || 'no rate limit headers'}`;
  const prefixed = names.filter((name) => name.startsWith('x-')).length;
  const form = names.includes('x-ratelimit-limit')
    ? 'x'
    : names.includes('ratelimit')
      ? 'ietf'
      : // Other names are headers of every response, which are another setting.
        text === null
        ? 'none'
        : 'retryAfter';
  const retry = `${call.response.status} with Retry-After: ${text ?? 'absent'}`;
  return [
    prefixed > 0 && prefixed < names.length
      ? other('rateLimitHeaders', evidence)
      : found('rateLimitHeaders', form, evidence),
    text === null
      ? unknown('retryAfter', retry)
      : /^\d+$/.test(text)
        ? found('retryAfter', 'seconds', retry)
        : Number.isNaN(Date.parse(text))
          ? other('retryAfter', retry)
          : found('retryAfter', 'date', retry),
    window,
  ];
}
