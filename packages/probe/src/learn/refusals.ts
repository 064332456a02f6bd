// The responses to refused requests.
import {
  type IssueKind,
  issueKinds,
  type ProfileRateLimit,
  type Refusal,
  type RefusalTemplate,
  type Template,
  toRecord,
} from '@service/internal';
import { describeResponse, type RawResponse } from '../client.ts';
import { groupBy } from '../group.ts';
import { type Part, found, learned, other, partly, unknown } from '../finding.ts';
import type { LearnedTemplate } from '../templates/learn.ts';
import { groupProblems, learnIssues, learnProblemBody, MIN_KINDS } from '../templates/issues.ts';
import { listLeaves } from '../templates/json.ts';
import { isSameJson, type KnownValues } from '../templates/known.ts';
import {
  isDocumentedBody,
  learnBody,
  type RefusedSample,
  toSample,
  toTemplate,
} from '../templates/refusal.ts';
import { readQuote, textOf } from '../templates/values.ts';
import { type Call, findRefusal, isOwnKey, listProblems, type Traffic } from '../traffic.ts';
import { type CommonHeaders, listWallets } from './shapes.ts';

/** Returns whether a payment was refused as those that need more than the balance. */
export function isLackingFunds({ response }: Call, { lacking }: Traffic): boolean {
  return lacking.length > 0 && response.status >= 400 && isSameRefusal(response, lacking);
}

/** Returns whether a refusal has the status and the values that all others share. Amounts and numbers in texts do not count. */
export function isSameRefusal(response: RawResponse, others: readonly RawResponse[]): boolean {
  const [first, ...more] = others.map(listParts);
  if (first === undefined) return false;
  const shared = [...first].filter(([path, value]) => more.every((each) => each.get(path) === value));
  const parts = listParts(response);
  return parts.size === first.size && shared.every(([path, value]) => parts.get(path) === value);
}

/** Returns the values of a refusal by their path. */
function listParts({ status, body, text }: RawResponse): ReadonlyMap<string, unknown> {
  const parts = listLeaves(body ?? text).map(([path, value]) => {
    const isAmount = typeof value === 'number' && !/code|status/i.test(path);
    const shown = typeof value === 'string' ? value.replaceAll(/\d[\d.,]*/g, '#') : isAmount ? '#' : value;
    return [`body.${path}`, shown] as const;
  });
  return new Map<string, unknown>([['status', status], ...parts]);
}

type Seen = Map<Refusal, RefusedSample[]>;

/** Learns the responses to refused requests, and the headers of a rate limit. */
export function learnRefusals(traffic: Traffic, headers: CommonHeaders): Part[] {
  const seen: Seen = new Map();
  const refused = traffic.calls.filter(({ response }) => response.status >= 400);
  for (const call of traffic.limited) note(seen, 'rate_limit', call, traffic);
  for (const call of refused) {
    const refusal = findRefusal(call, traffic);
    if (refusal !== undefined) note(seen, refusal, call, traffic);
  }
  return [...learnBodies(traffic, refused, seen, headers.all), ...learnRateLimit(traffic)];
}

/** Adds the response of a refusal. Only responses with the same status describe a refusal. */
function note(seen: Seen, refusal: Refusal, call: Call, traffic: Traffic): void {
  const { response } = call;
  const samples = seen.get(refusal) ?? [];
  if (samples.some((one) => one.response.status !== response.status)) return;
  const sample = toSample(response);
  const { mode = textOf('test'), ...others } = { ...sample.known, ...readKnown(refusal, call, traffic) };
  // An unknown caller has no mode: the service writes one by itself.
  const isKnown = isOwnKey(call, traffic) && refusal !== 'missing_key';
  const known = { ...others, [isKnown ? 'mode' : 'key_mode']: mode };
  seen.set(refusal, [...samples, { ...sample, known }]);
}

/** Returns the values of the request that the response can show. */
function readKnown(refusal: Refusal, { path, sent, order }: Call, traffic: Traffic): KnownValues {
  const [, id] = /^\/payments\/(.+)$/.exec(path) ?? [];
  if (id !== undefined) return { payment_id: textOf(decodeId(id)) };
  if (refusal === 'unknown_method')
    return { allow: textOf(/^\/(quotes|payments)$/.test(path) ? 'POST' : 'GET') };
  if (refusal !== 'insufficient_funds') return {};
  const quote = traffic.quotes.findLast((one) => one.sent.amount === sent.amount && one.order < order);
  const known = readQuote({ send_amount: sent.amount, ...quote?.response.data });
  const { data = {} } = traffic.balances.findLast((one) => one.order < order)?.response ?? {};
  const wallet = listWallets(data).find(({ currency }) => currency === sent.from_currency)?.known;
  const available = wallet?.available ?? wallet?.balance;
  const required = known.debit ?? known.send_amount;
  if (available?.kind !== 'amount' || required?.kind !== 'amount') return known;
  return { ...known, available, shortfall: { kind: 'amount', micro: required.micro - available.micro } };
}

/** Decodes an id. A client can have sent invalid escapes, which it keeps. */
function decodeId(id: string): string {
  try {
    return decodeURIComponent(id);
  } catch {
    return id;
  }
}

function learnBodies(
  traffic: Traffic,
  refused: readonly Call[],
  seen: Seen,
  headers: CommonHeaders['all'],
): Part[] {
  const issues = refused.flatMap((call) => readIssues(call, traffic));
  const invalid = issues.filter(({ isOnly }) => isOnly);
  if (seen.size === 0 && invalid.length === 0)
    return (['errorShape', 'refusals', 'issues'] as const).map((name) =>
      unknown(name, 'no request was refused'),
    );
  const kinds = [...new Set(invalid.map(({ kind }) => kind))];
  const evidence = `requests with one problem: ${kinds.join(', ') || 'none was refused'}`;
  const bodies = new Map([...seen].map(([name, samples]) => [name, learnBody(samples)] as const));
  const shape = evaluateErrorShape(bodies);
  const isOther = !(shape.state === 'found' && shape.value === 'envelope');
  const templates: Record<string, RefusalTemplate | undefined> = {};
  const missing: string[] = [];
  const add = (name: string, samples: readonly RefusedSample[], body: LearnedTemplate): void => {
    templates[name] = toTemplate(name, samples, body.template, isOther, headers);
    missing.push(...body.unexplained.map((field) => `${field} of ${name}`));
  };
  for (const [name, body] of bodies) add(name, seen.get(name) ?? [], body);
  const details = learnIssues(issues);
  const kindsApart = listKindsApart(traffic, seen);
  for (const [index, group] of groupProblems(invalid, details?.path).entries()) {
    const samples = group.map(({ sample }) => sample);
    const body = learnProblemBody(group, details);
    // A body that is no object has a separate refusal.
    const own = new Set(group.map(({ kind }) => kind).filter((kind) => kind !== 'body'));
    const apart = [...own].filter((kind) => kindsApart.includes(kind));
    for (const name of index === 0 ? ['validation', ...apart] : own)
      if (!(name in templates)) add(name, samples, body);
  }
  const isUsual = details === undefined || 'other' in details.issues;
  return [
    shape,
    learned('refusals', JSON.parse(JSON.stringify(templates)), describeRefusals(seen), missing),
    details || kinds.length >= MIN_KINDS
      ? learned('issues', details?.issues ?? {}, evidence, isUsual ? [] : ['other problems'])
      : unknown('issues', `${evidence}; others show what differs between them`),
  ];
}

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

/** Returns a refused request as a sample of each of its problems. */
function readIssues(call: Call, traffic: Traffic) {
  const { method, response, exchange, query } = call;
  const problems = isInvalid(call, traffic) ? listProblems(call) : [];
  const request = method === 'GET' ? Object.fromEntries(query) : exchange.request.body;
  const shared = { isOnly: problems.length === 1, request, sample: toSample(response) };
  return problems.flatMap(({ kind, ...problem }) =>
    isKind(kind) && !(kind === 'page' && response.status === 404) ? [{ ...problem, kind, ...shared }] : [],
  );
}

/** The kinds of problems of lists that one setting describes. */
const ofLists = [
  ['page', 'per_page_form', 'per_page_small', 'per_page_large'],
  ['status', 'type'],
];

/** Returns the kinds of problems of lists that need their own refusal, because the service accepts others of their setting. */
function listKindsApart({ calls }: Traffic, seen: Seen): readonly string[] {
  const lists = calls.filter(({ method, response }) => method === 'GET' && response.accepted);
  const kinds = lists.flatMap(listProblems).map(({ kind }) => kind);
  // A service can ignore the page, and refuse the first one although those past the end are not found.
  const accepted = [
    ...kinds.filter((kind) => kind !== 'page'),
    ...(seen.has('unknown_page') ? ['page'] : []),
  ];
  return ofLists.filter((all) => accepted.some((kind) => all.includes(kind))).flat();
}

function isKind(kind: string): kind is IssueKind {
  return issueKinds.some((each) => each === kind);
}

function describeRefusals(seen: Seen): string {
  const shown = [...seen].flatMap(([refusal, [first]]) =>
    first ? [`${refusal} ${describeResponse(first.response)}`] : [],
  );
  return shown.join(', ');
}

/** Determines the body of most errors: the one that most refusals have, some with further fields. */
function evaluateErrorShape(bodies: ReadonlyMap<Refusal, { readonly template: Template }>): Part {
  const evidence = `the errors of ${[...bodies.keys()].join(', ')}`;
  const all = [...bodies].flatMap(([name, { template }]) =>
    // An unknown caller has no mode.
    name === 'authentication' || name === 'missing_key' ? [] : [template],
  );
  const groups = groupBy(all, (body) => (isDocumentedBody(body) ? 'envelope' : JSON.stringify(body)));
  const [first] = [...groups].toSorted(([, one], [, two]) => two.length - one.length);
  const [text, [usual, ...others]] = first ?? ['', []];
  const extended = all.filter((body) => hasFields(body, usual));
  if (others.length === 0 || extended.length * 2 < all.length || typeof usual === 'string')
    return unknown('errorShape', `most of ${evidence} are not equal`);
  return found('errorShape', text === 'envelope' ? text : { body: usual }, evidence);
}

/** Returns whether a template has all fields of another one. */
function hasFields(template: Template, part: Template | undefined): boolean {
  return Object.entries(toRecord(part)).every(([name, field]) => isSameJson(toRecord(template)[name], field));
}

const limitHeader = /^(x-)?rate-?limit/;

/** Returns the names of the rate limit headers of a response. */
const namesOf = ({ response }: Call): string[] =>
  [...response.headers.keys()].filter((name) => limitHeader.test(name));

/** The fewest requests in a second that show a limit rather than the pauses of an application. */
const MIN_BURST = 10;

/** Counts the requests of the second before the first 429. Undefined without a burst. */
function countBefore429({ calls, limited: [first] }: Traffic): number | undefined {
  const isBefore = ({ start, end }: Call): boolean =>
    !!first && end > first.start - 1_000 && start <= first.start;
  const { length } = calls.filter(isBefore);
  return length < MIN_BURST ? undefined : length;
}

/**
 * Reads the limit that headers state: its constant number, else one more than the largest number of remaining requests,
 * the longest time until a reset, and the method if only its responses have the headers. Without headers, the requests of the
 * second before the first 429 are counted.
 */
function readStatedLimit(traffic: Traffic): ProfileRateLimit | undefined {
  const calls = [...traffic.calls, ...traffic.limited];
  const read = (name: RegExp, part: RegExp): number[] =>
    calls.flatMap(({ response: { headers }, end }) =>
      [...headers].flatMap(([header, text]) => {
        if (!limitHeader.test(header)) return [];
        const [, shown] = part.exec(text) ?? [];
        const number = name.test(header) && /^\d+$/.test(text) ? Number(text) : Number(shown);
        const seconds = number > 1e9 ? Math.ceil(number - end / 1_000) : number;
        return Number.isNaN(seconds) ? [] : [seconds];
      }),
    );
  const rest = read(/remaining$/, /\b(?:remaining|r)=(\d+)/);
  const limits = new Set(read(/limit$/, /\b(?:limit|q)=(\d+)/));
  const [requests = rest.length > 0 ? Math.max(...rest) + 1 : countBefore429(traffic)] = limits;
  if (requests === undefined || limits.size > 1) return undefined;
  const window = Math.max(1, ...read(/(?:reset|window)$/, /\b(?:reset|t|w)=(\d+)/));
  const methods = (['POST', 'GET'] as const).filter((method) =>
    traffic.calls.some((call) => call.method === method && namesOf(call).length > 0),
  );
  const [method] = methods;
  return { requests, window: `${window}s`, ...(methods.length === 1 && method && { method }) };
}

/** Learns the headers of a rate limit from a 429, or else from any response with them. */
function learnRateLimit(traffic: Traffic): Part[] {
  const {
    calls,
    limited: [limited],
  } = traffic;
  const call = limited ?? calls.find((one) => namesOf(one).length > 0);
  const stated = readStatedLimit(traffic);
  const shown = stated ? `about ${stated.requests} requests in ${stated.window}` : 'a request got 429';
  const window =
    stated || limited
      ? partly('rateLimit', ['the number of requests and the window, not measured'], shown, stated)
      : unknown('rateLimit', 'not measured: set the number of requests and the window by hand');
  if (call === undefined) {
    const reason = 'no limit in this run; a higher `burst` sends more requests at once';
    return [unknown('retryAfter', reason), window];
  }
  const text = call.response.headers.get('retry-after');
  const retry = `${call.response.status} with Retry-After: ${text ?? 'absent'}`;
  return [
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
