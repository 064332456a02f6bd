// The settings that follow from the answer to one request, or from the comparison of a few.
import { type JsonObject, namedTimestamps, toMicro, toRecord, writeCents } from '@service/internal';
import { describeResponse, formatValue, isRefusal, type RawResponse } from '../client.ts';
import { type Part, found, learned, other, type PartName, unknown } from '../finding.ts';
import { rowsOf } from '../history.ts';
import { isSameJson, readTimestampForm } from '../templates/known.ts';
import { type Call, FAR_PAGE, findRepeated, isOwnKey, listProblems, type Traffic } from '../traffic.ts';
import { isLackingFunds } from './refusals.ts';

/** Learns the rules for requests, statuses, authentication and pages. */
export function learnRules(traffic: Traffic): Part[] {
  return [
    ...learnAccess(traffic),
    ...learnQuotes(traffic),
    learnAmounts(traffic),
    ...learnTexts(traffic),
    ...learnCreates(traffic),
    ...learnLists(traffic),
  ];
}

const ofRequest = (setting: PartName, request: string): Part =>
  unknown(setting, `no traffic shows it: send ${request}`);

/** The value that a response shows: `other` if no value describes it, undefined if it shows none. */
type Choice = string | number | undefined;

/** The values of a setting by the first of these outcomes that a response has. */
type Outcomes = {
  readonly [Outcome in 'accepted' | 'redirect' | '401' | '404' | '415' | 'refused']?: string;
};

function readOutcome(response: RawResponse, outcomes: Outcomes): string {
  const { status, accepted } = response;
  const { [String(status) as '401']: ofStatus } = outcomes;
  if (accepted) return outcomes.accepted ?? 'other';
  if (status >= 300 && status < 400) return outcomes.redirect ?? 'other';
  return ofStatus ?? (isRefusal(response) ? outcomes.refused : undefined) ?? 'other';
}

/** Creates the finding of the choice that a call shows. */
function choose(
  setting: PartName,
  request: string,
  call: Call | undefined,
  values: Outcomes | ((response: RawResponse, call: Call) => Choice),
): Part {
  if (call === undefined) return ofRequest(setting, request);
  const evidence = `${request}: ${describeResponse(call.response)}`;
  const value =
    typeof values === 'function' ? values(call.response, call) : readOutcome(call.response, values);
  if (value === undefined) return unknown(setting, evidence);
  return value === 'other' ? other(setting, evidence) : found(setting, value, evidence);
}

const header = (call: Call, name: string): string | undefined => call.exchange.request.headers[name];

const malformed = (call: Call): boolean =>
  call.path === '/quotes' && call.exchange.request.text !== undefined;

function learnAccess(traffic: Traffic): Part[] {
  const { calls } = traffic;
  const find = (path: string): Call | undefined => calls.find((call) => call.path === path);
  const wrong = calls.filter((call) => !isOwnKey(call, traffic));
  const both = calls.filter((call) => header(call, 'authorization') && header(call, 'x-api-key'));
  const usual = calls.find((call) => malformed(call) && isOwnKey(call, traffic));
  const unknownPath = wrong.find(({ path }) => path === '/no-such-path');
  return [
    evaluateBothKeys(both.map((call) => [isOwnKey(call, traffic), call.response] as const)),
    choose('paths.similar', 'GET /balance/', find('/balance/'), {
      redirect: 'redirect',
      accepted: 'lenient',
      404: 'strict',
    }),
    choose('paths.unknown', 'an unknown path with an unknown key', unknownPath, {
      401: 'authenticated',
      404: 'public',
    }),
    choose(
      'requestBody.checked',
      'a malformed body with an unknown key',
      wrong.find(malformed),
      (response) => {
        if (response.status === 401) return 'afterKey';
        return isRefusal(response) && response.status === usual?.response.status ? 'beforeKey' : 'other';
      },
    ),
  ];
}

/** `isBearer`: whether the valid key is the one in `Authorization`. */
function evaluateBothKeys(pairs: readonly (readonly [isBearer: boolean, response: RawResponse])[]): Part {
  const [bearer, named] = [true, false].map((side) => pairs.find(([is]) => is === side)?.[1]);
  if (bearer === undefined || named === undefined)
    return ofRequest('bothKeys', 'a valid key as Bearer with an unknown X-API-Key, and the reverse');
  const evidence = `valid key as Bearer, unknown key as X-API-Key: ${bearer.status}; the reverse: ${named.status}`;
  const result = [bearer, named].map((one) => (one.accepted ? 'yes' : isRefusal(one) ? 'no' : '?')).join(' ');
  const values = { 'yes no': 'bearer', 'no yes': 'apiKey', 'no no': 'reject', 'yes yes': 'either' } as const;
  const value = new Map(Object.entries(values)).get(result);
  if ([bearer, named].some(({ status }) => status >= 500)) return unknown('bothKeys', evidence);
  return value === undefined ? other('bothKeys', evidence) : found('bothKeys', value, evidence);
}

/** Returns the quotes with one problem of a kind. */
function withProblem({ calls }: Traffic, kind: string, path = '/quotes'): Call | undefined {
  return calls.find((call) => {
    if (call.path !== path || call.method !== 'POST') return false;
    const [problem, ...more] = listProblems(call);
    return more.length === 0 && problem?.kind === kind;
  });
}

function learnQuotes(traffic: Traffic): Part[] {
  const { quotes, calls } = traffic;
  // A service that accepts no quote at all refuses something else.
  const of = (kind: string): Call | undefined =>
    quotes.length === 0 ? undefined : withProblem(traffic, kind);
  const bodies = calls.filter(({ path }) => quotes.length > 0 && path === '/quotes');
  const braces = bodies.find((call) => call.exchange.request.text === '{' && isOwnKey(call, traffic));
  const empty = bodies.find(({ exchange }) => JSON.stringify(exchange.request.body) === '{}');
  return [
    evaluateStatus('successStatus.createQuote', quotes, [200, 201]),
    evaluateNumbers(quotes.map(({ response }) => response.data)),
    choose('requestBody.malformed', 'a body that is not JSON', braces, (response) => {
      const isEmpty = response.status === empty?.response.status && response.text === empty.response.text;
      return readOutcome(response, { refused: isEmpty ? 'empty' : 'reject' });
    }),
    choose('currencies.same', 'a quote from a currency to itself', of('currency_same'), {
      accepted: 'allow',
      refused: 'reject',
    }),
    choose('currencies.case', 'a currency in lower case', of('currency_case'), (response, { sent }) => {
      const isUpper = response.data.from_currency === String(sent.from_currency).toUpperCase();
      return readOutcome(response, { refused: 'strict', ...(isUpper && { accepted: 'normalise' }) });
    }),
    choose('requestBody.unknownFields', 'an unknown field', of('unknown_field'), {
      accepted: 'ignore',
      refused: 'reject',
    }),
    choose('amounts.precision', 'an amount with three decimals', of('amount_precise'), (response, call) =>
      evaluatePrecision(traffic, response, call),
    ),
    choose('amounts.text', 'an amount as text', of('amount_text'), {
      accepted: 'accept',
      refused: 'reject',
    }),
    choose('requestBody.mediaTypes', 'JSON as text/plain', of('content_type'), {
      accepted: 'any',
      415: 'json',
    }),
  ];
}

function evaluateStatus(
  setting: 'successStatus.createPayment' | 'successStatus.createQuote',
  calls: readonly Call[],
  values: readonly number[],
): Part {
  const [status, ...more] = new Set(calls.map(({ response }) => response.status));
  if (status === undefined) return ofRequest(setting, 'a quote or a payment');
  const evidence = `${[status, ...more].join(', ')} (${calls.length} responses)`;
  const isKnown = more.length === 0 && values.includes(status);
  return isKnown ? found(setting, status, evidence) : other(setting, evidence);
}

const writeFigure = ([name, value]: [string, unknown]): string => `"${name}": ${formatValue(value)}`;

/** Determines the number format of quotes. All numbers must have the same type; only some have a float tail. */
function evaluateNumbers(quotes: readonly JsonObject[]): Part {
  const figures = quotes.flatMap(({ send_amount, fee, rate, receive_amount }) =>
    Object.entries({ send_amount, fee, rate, receive_amount }),
  );
  const [first] = figures;
  if (first === undefined) return ofRequest('numbers', 'a quote');
  const unreadable = figures.find(([, value]) => toMicro(value) === undefined);
  if (unreadable) return other('numbers', writeFigure(unreadable));
  const different = figures.find(([, value]) => typeof value !== typeof first[1]);
  if (different) return other('numbers', `${writeFigure(first)}, ${writeFigure(different)}`);
  if (typeof first[1] === 'string') return found('numbers', 'string', writeFigure(first));
  const withTail = figures.find(([, value]) => hasFloatTail(String(value)));
  return found('numbers', withTail ? 'floatTail' : 'number', writeFigure(withTail ?? first));
}

/** Returns true for a number that ends like the rounding error of a double, rather than one with many decimals. */
function hasFloatTail(text: string): boolean {
  const digits = text.replace(/^[-0.]+/, '');
  return /e-/.test(text) || (/\.\d{7}/.test(text) && /(0{4}\d{1,3}|9{4}\d{0,3})$/.test(digits));
}

/** Evaluates a quote for an amount with three decimals, and payments above the balance with and without them. */
function evaluatePrecision(traffic: Traffic, response: RawResponse, { sent }: Call): Choice {
  if (!response.accepted) return isRefusal(response) ? 'reject' : 'other';
  const micro = toMicro(response.data.send_amount) ?? 0n;
  const exact = toMicro(sent.amount) ?? 0n;
  const value = micro % 10_000n !== 0n ? 'other' : micro > exact ? 'round' : 'truncate';
  if (value === 'other') return 'other';
  // A currency without decimals truncates all of them.
  const hasDecimals = traffic.quotes.some(
    (one) =>
      one.sent.from_currency === sent.from_currency &&
      (toMicro(one.response.data.send_amount) ?? 0n) % 1_000_000n !== 0n,
  );
  if (value === 'truncate' && !hasDecimals) return undefined;
  const payment = withProblem(traffic, 'amount_precise', '/payments');
  if (payment === undefined || payment.response.accepted || isLackingFunds(payment, traffic)) return value;
  return isRefusal(payment.response) ? `${value}Quotes` : 'other';
}

/** The largest amount whose hundredths a double represents. */
const LARGEST = 999_999_999_999_999n;

/** Learns the limits of amounts: the accepted ones beside a refused one. */
function learnAmounts({ calls, from, to }: Traffic): Part {
  const asked = calls.flatMap(({ method, path, sent, response }) => {
    const isOwn = sent.from_currency === from && sent.to_currency === to && typeof sent.amount === 'number';
    const micro = toMicro(sent.amount) ?? 1n;
    if (!isOwn || method !== 'POST' || path !== '/quotes' || micro % 10_000n !== 0n) return [];
    return response.accepted || isRefusal(response) ? [[response.accepted, micro / 10_000n] as const] : [];
  });
  const refused = new Set(asked.flatMap(([is, amount]) => (is ? [] : [amount])));
  const accepted = asked.flatMap(([is, amount]) => (is && amount <= LARGEST ? [amount] : []));
  const [least, most] = [accepted.toSorted((a, b) => (a < b ? -1 : 1))].flatMap((all) => [
    all[0],
    all.at(-1),
  ]);
  if (least === undefined || most === undefined)
    return ofRequest('amounts.*', 'quotes of small and large amounts');
  const step = [1n, 100n].find((unit) => refused.has(least - unit) || (unit === 1n && least === 1n));
  const isEnd = most >= (LARGEST / 100n) * 100n || refused.has(most + (step ?? 1n));
  const limits = { minimum: writeCents(least), maximum: writeCents(most) };
  const evidence = `quotes from ${limits.minimum} to ${limits.maximum} ${from}`;
  return step !== undefined && isEnd
    ? found('amounts.*', limits, evidence)
    : unknown('amounts.*', `${evidence} were accepted; the amounts beside them were not asked`);
}

function learnTexts(traffic: Traffic): Part[] {
  const creates = traffic.calls.filter(
    ({ method, path, sent }) => method === 'POST' && path === '/payments' && typeof sent.purpose === 'string',
  );
  const isTextAccepted = (call: Call): boolean => call.response.accepted || isLackingFunds(call, traffic);
  const lengths = (is: boolean): number[] =>
    creates.filter((call) => isTextAccepted(call) === is).map(({ sent }) => String(sent.purpose).length);
  const longest = Math.max(0, ...lengths(true));
  const evidence = `a purpose of ${longest} characters is accepted`;
  const limit = lengths(false).includes(longest + 1)
    ? found('texts.limit', longest, `${evidence}, one of ${longest + 1} is not`)
    : unknown('texts.limit', `${evidence}; longer ones were not asked`);
  const empty = creates.filter(({ sent }) => sent.purpose === '');
  const created = empty.find(({ response }) => response.accepted);
  const refused = empty.find((call) => !isTextAccepted(call));
  return [
    limit,
    choose(
      'texts.number',
      'a number as beneficiary_name',
      withProblem(traffic, 'text_type', '/payments'),
      (response, call) => (isTextAccepted(call) ? 'accept' : readOutcome(response, { refused: 'reject' })),
    ),
    choose('texts.empty', 'a payment with an empty purpose', created ?? refused, ({ accepted, data }) => {
      if (!accepted) return 'reject';
      const absent = traffic.payments.find(({ create }) => create.sent.purpose === undefined);
      const usual = absent?.create.response.data.purpose;
      // If absent texts are empty too, both values mean the same.
      if (data.purpose === '') return usual === '' ? 'absent' : 'keep';
      return absent !== undefined && data.purpose === usual ? 'absent' : 'other';
    }),
  ];
}

function learnCreates(traffic: Traffic): Part[] {
  const { payments, calls } = traffic;
  const created = payments.map(({ create }) => create);
  const [first] = created;
  const plain = created.find(
    ({ sent }) => !Object.keys(sent).some((name) => /bank|account|country|purpose/.test(name)),
  );
  const refused = calls.find(
    (call) => call.path === '/payments' && call.method === 'POST' && listProblems(call).length === 0,
  );
  return [
    first === undefined && refused !== undefined
      ? unknown('successStatus.createPayment', explainRefusedCreate(refused))
      : evaluateStatus('successStatus.createPayment', created, [200, 201, 202]),
    plain ? evaluateAbsent(plain.response.data) : ofRequest('absent', 'a payment without optional fields'),
    first ? evaluateTimestamp(first.response.data.created_at) : ofRequest('timestamps', 'a payment'),
    ...evaluateIdempotency(
      calls.filter(({ path }) => path === '/payments').map((call) => [call, findRepeated(call, traffic)]),
      traffic,
    ),
  ];
}

function explainRefusedCreate({ response }: Call): string {
  const received = describeResponse(response);
  const lacksFunds = received === '422 insufficient_funds';
  const advice = lacksFunds ? '; add funds to the wallet of `from`, or lower `amount`' : '';
  return `the service responded to POST /payments with ${received}${advice}`;
}

/** Compares the fields that the request did not supply; all must be absent in the same form. */
function evaluateAbsent({ purpose, beneficiary }: JsonObject): Part {
  const { bank, account, country } = toRecord(beneficiary);
  const fields = Object.entries({ purpose, bank, account, country });
  const evidence = fields.map(([name, value]) => `${name} ${formatValue(value)}`).join(', ');
  const names = fields.map(([, one]) =>
    one === undefined ? 'omit' : one === '' ? 'empty' : JSON.stringify(one),
  );
  const [name = '', ...more] = new Set(names);
  const isKnown = more.length === 0 && ['omit', 'null', 'empty'].includes(name);
  return isKnown ? found('absent', name, evidence) : other('absent', evidence);
}

function evaluateTimestamp(value: unknown): Part {
  const evidence = `"created_at": ${formatValue(value)}`;
  const form = readTimestampForm(value);
  if (form === undefined) return other('timestamps', evidence);
  const named = Object.entries(namedTimestamps).find(([, each]) => isSameJson(each, form));
  return found('timestamps', named?.[0] ?? form, evidence);
}

const isSame = (one: Call, two: Call): boolean =>
  typeof one.response.data.id === 'string' && one.response.data.id === two.response.data.id;

function evaluateIdempotency(
  pairs: readonly (readonly [call: Call, earlier: Call | undefined])[],
  { payments }: Traffic,
): Part[] {
  const repeated = pairs.flatMap(([call, earlier]) =>
    earlier?.response.accepted === true ? [{ call, earlier }] : [],
  );
  const ofBody = (is: boolean) =>
    repeated.find(({ call, earlier }) => (JSON.stringify(call.sent) === JSON.stringify(earlier.sent)) === is);
  const [same, changed] = [ofBody(true), ofBody(false)];
  const notReplayed = unknown('successStatus.replayPayment', 'no create was replayed');
  if (same === undefined)
    return [ofRequest('idempotency', 'a payment twice with the same Idempotency-Key'), notReplayed];
  const { response } = same.call;
  const { status } = same.earlier.response;
  const evidence = `same request and Idempotency-Key: ${describeResponse(response)}`;
  if (response.accepted && isSame(same.call, same.earlier)) {
    const isAny = changed?.call.response.accepted === true && isSame(changed.call, changed.earlier);
    const detail = `${evidence}, the same payment${isAny ? '; the same for another request' : ''}`;
    const value = response.status === status ? 'created' : response.status === 200 ? 200 : undefined;
    const statuses = `created with ${status}, replayed with ${response.status}`;
    return [
      found('idempotency', isAny ? 'replayedAny' : 'replayed', detail),
      value === undefined
        ? other('successStatus.replayPayment', statuses)
        : found('successStatus.replayPayment', value, statuses),
    ];
  }
  const hasIds = [same.call, same.earlier].every(({ response: { data } }) => typeof data.id === 'string');
  if (response.accepted && hasIds)
    return [found('idempotency', 'ignored', `${evidence}, another payment`), notReplayed];
  const isOfKeys = response.status === 422 && /idempoten/i.test(JSON.stringify(response.body));
  if (response.status === 409 || isOfKeys) return [found('idempotency', 'conflict', evidence), notReplayed];
  // A service that refuses a new payment too, such as for lack of funds, does not refuse the key.
  const isOfKey = isRefusal(response) && payments.some(({ create }) => create.order > same.call.order);
  return [isOfKey ? other('idempotency', evidence) : unknown('idempotency', evidence), notReplayed];
}

const DEFAULT_ROWS = 20;
const MOST_ROWS = 100;

function learnLists(traffic: Traffic): Part[] {
  const lists = traffic.calls.filter(({ method, path }) => method === 'GET' && path === '/transactions');
  const find = (query: string): Call | undefined =>
    lists.findLast(({ exchange }) => exchange.request.path.endsWith(`?${query}`));
  const whole = find('per_page=100');
  const all = whole && rowsOf(whole.response);
  const past = lists.find(({ query }) => Number(query.get('page')) >= FAR_PAGE);
  const plain = lists.findLast(({ query }) => query.size === 0);
  return [
    evaluatePageSizes(find, plain),
    choose('listQuery.pastEnd', 'a page past the end', past, (response) => {
      if (response.status === 404) return 'not_found';
      if (!response.accepted) return 'other';
      return rowsOf(response)?.length === 0 ? 'empty' : undefined;
    }),
    evaluateFilters(find, (all?.length ?? 0) > 0),
  ];
}

/** Compares lists with an unknown status and an unknown type. One that is refused beside an accepted one has its own refusal. */
function evaluateFilters(find: (query: string) => Call | undefined, hasRows: boolean): Part {
  const parts = ['status', 'type'].map((name) =>
    choose('listQuery.filter', `${name}=no_such_${name}`, find(`${name}=no_such_${name}`), (response) => {
      if (isRefusal(response)) return 'reject';
      const rows = rowsOf(response);
      if (!response.accepted || rows === undefined) return 'other';
      return rows.length > 0 ? 'ignore' : hasRows ? 'empty' : undefined;
    }),
  );
  const [part = parts[0] as Part, ofType] = parts.filter(
    (each) => !('value' in each) || each.value !== 'reject',
  );
  if (!('value' in part && ofType && 'value' in ofType) || part.value === ofType.value) return part;
  return learned(part.setting, part.value, part.evidence, ['an unknown type']);
}

/** Compares lists with too few and too many rows. Names the page sizes that no value of the setting describes. */
function evaluatePageSizes(find: (query: string) => Call | undefined, plain: Call | undefined): Part {
  const [few, many, whole] = ['per_page=0', 'per_page=101', 'per_page=100'].map(find);
  if (few === undefined || many === undefined || whole === undefined)
    return ofRequest('listQuery.page', 'lists with per_page 0 and 101');
  const [fewest, most, all = 0, usual = 0] = [few, many, whole, plain].map(
    (call) => call && rowsOf(call.response)?.length,
  );
  const [isFewRefused, isManyRefused] = [few, many].map(({ response }) => isRefusal(response));
  const isKnown = fewest === DEFAULT_ROWS || showsSize(few.response);
  const evidence = `per_page 0: ${describeResponse(few.response)}, 101: ${describeResponse(many.response)}`;
  const isRejected = isFewRefused && isManyRefused && find('per_page=many')?.response.accepted !== true;
  const counts = [fewest, most].filter((count) => count !== undefined).join(' and ');
  const counted = isRejected ? evidence : `${evidence}; ${counts} rows of ${all}`;
  const isClamped = fewest === 1 && all > 1;
  const isFew = isFewRefused || (fewest !== undefined && (isClamped || isKnown || fewest === all));
  if (!isFew || !(isManyRefused || most === Math.min(all, MOST_ROWS)))
    return other('listQuery.page', counted);
  const missing = [
    ...(isFewRefused || isClamped || isKnown
      ? []
      : [`the number of rows: more than ${DEFAULT_ROWS} show it`]),
    ...(usual > DEFAULT_ROWS ? [`the ${usual} rows of a page without per_page`] : []),
  ];
  return learned('listQuery.page', isRejected ? 'reject' : isClamped ? 'clamp' : 'default', counted, missing);
}

/** Returns whether a page states the default number of rows as its size. */
function showsSize({ text }: RawResponse): boolean {
  return new RegExp(`"(?:per_?page|page_?size|size|limit)":\\s*${DEFAULT_ROWS}\\b`, 'i').test(text);
}
