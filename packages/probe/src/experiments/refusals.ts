import { isRecord, type Refusal, type RefusalTemplate, type Template, toRecord } from '@service/internal';
import { createTestPayment, type Experiment, type ProbeContext, requireData } from '../context.ts';
import { type Finding, found, unknown } from '../finding.ts';
import { describeResponse, isRefusal, type RawRequest, type RawResponse } from '../raw-client.ts';
import { addUnexplained, learnTemplate } from '../templates/learn.ts';
import type { Sample } from '../templates/sample.ts';
import { type HeaderSample, learnHeaders } from '../templates/headers.ts';
import { type LearnedIssues, learnIssues } from '../templates/issues.ts';
import { type RefusedField, refuseFields } from './issues.ts';
import { readResponse, responseKey } from '../templates/values.ts';
import { readErrorShape } from './requests.ts';
import { readBalance } from './watch.ts';

/** The experiment about the responses of refused requests. */
export const refusalShapes: readonly Experiment[] = [
  { settings: ['errorShape', 'refusals', 'issues'], run: probeRefusals },
];

/** A refused request. */
interface Attempt {
  readonly refusal: Refusal;
  readonly path: string;
  readonly request?: RawRequest;
}

/** The responses of one refusal. */
export interface Refused {
  readonly responses: readonly RawResponse[];
  readonly samples: readonly Sample[];
}

/** The statuses and types with which the mock refuses. */
const documented: Readonly<Partial<Record<Refusal, readonly [status: number, type: string]>>> = {
  authentication: [401, 'authentication_error'],
  unknown_path: [404, 'not_found'],
  unknown_method: [405, 'method_not_allowed'],
  unknown_payment: [404, 'not_found'],
  unknown_page: [404, 'not_found'],
  foreign_payment: [403, 'permission_error'],
  validation: [422, 'validation_error'],
  not_an_object: [422, 'validation_error'],
  media_type: [415, 'unsupported_media_type'],
  insufficient_funds: [422, 'insufficient_funds'],
  rate_limit: [429, 'rate_limit_error'],
  key_reused: [409, 'idempotency_error'],
  key_of_other_body: [422, 'idempotency_error'],
};

async function probeRefusals(context: ProbeContext): Promise<Finding[]> {
  const named = await readErrorShape(context);
  const seen = await collectRefusals(context);
  const fields = await refuseFields(context);
  for (const response of context.limited) note(seen, 'rate_limit', response);
  if (fields.length > 0)
    seen.set('validation', {
      responses: fields.map(({ response }) => response),
      samples: fields.map(({ field, response }) => toSample(response, field === '' ? [] : [field])),
    });
  // Otherwise the details of the whole body describe it.
  if (describeRefusal(seen, 'not_an_object') === describeRefusal(seen, 'validation'))
    seen.delete('not_an_object');
  const none = 'no request was refused';
  if (seen.size === 0) return [named, unknown('refusals', none), unknown('issues', none)];
  const shape = evaluateErrorShape(named, seen);
  const usual = shape.state === 'found' ? shape.value : 'envelope';
  const details = evaluateFields(fields);
  const templates = [...seen].flatMap(([refusal, refused]): [Refusal, RefusalTemplate][] => {
    const body = refusal === 'validation' ? details.body : undefined;
    const template = toTemplate(refusal, { ...refused, usual, body, headers: context.headers });
    return Object.keys(template).length === 0 ? [] : [[refusal, template]];
  });
  return [
    shape,
    found('refusals', Object.fromEntries(templates), describeRefusals(seen)),
    found('issues', details.issues, addUnexplained(describeFields(fields), details.unexplained)),
  ];
}

type Seen = Map<Refusal, Refused>;

function describeRefusal(seen: Seen, refusal: Refusal): string | undefined {
  const [response] = seen.get(refusal)?.responses ?? [];
  return response && describeResponse(response);
}

/** Sends the requests that a service refuses, except those with an invalid field. */
async function collectRefusals(context: ProbeContext): Promise<Seen> {
  const seen: Seen = new Map();
  for (const { refusal, path, request } of listAttempts(context))
    note(seen, refusal, await context.send(path, request));
  if (context.plan.payments)
    await refusePayments(context, (refusal, response) => note(seen, refusal, response));
  return seen;
}

function note(seen: Seen, refusal: Refusal, response: RawResponse): void {
  if (!isRefusal(response)) return;
  const { responses = [], samples = [] } = seen.get(refusal) ?? {};
  seen.set(refusal, { responses: [...responses, response], samples: [...samples, toSample(response)] });
}

function describeRefusals(seen: Seen): string {
  const names = [...seen].map(
    ([refusal, { responses }]) => responses[0] && `${refusal} ${describeResponse(responses[0])}`,
  );
  return names.join(', ');
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
export function evaluateErrorShape(named: Finding, seen: ReadonlyMap<Refusal, Refused>): Finding {
  if (named.state === 'found' && named.value !== 'envelope') return named;
  const names = usualRefusals.filter((name) => seen.has(name));
  const bodies = names.map((name) => withMode(name, learnBody(seen.get(name)?.samples ?? [])));
  const counted = bodies.map((body) => ({ body, count: bodies.filter((each) => isSame(each, body)).length }));
  const [first] = counted.toSorted((one, other) => other.count - one.count);
  if (first === undefined || first.count < 2 || !isRecord(first.body)) return named;
  const evidence = `${named.evidence}; the errors of ${names.join(', ')}`;
  return found('errorShape', isDocumentedBody(first.body) ? 'envelope' : { body: first.body }, evidence);
}

function learnBody(samples: readonly Sample[]): Template {
  return learnTemplate(samples, { numbers: 'number', key: responseKey }).template;
}

/** Adds the mode to the body for an unknown caller, which has none. */
function withMode(refusal: Refusal, body: Template): Template {
  if (refusal !== 'authentication' || !isRecord(body) || 'mode' in body) return body;
  const { success = false, ...others } = body as Readonly<Record<string, Template>>;
  return { success, mode: '{mode}', ...others };
}

const sortFields = (json: unknown): string =>
  JSON.stringify(Object.entries(toRecord(json)).toSorted(([one], [other]) => (one < other ? -1 : 1)));

const isSame = (one: Template, other: Template): boolean => sortFields(one) === sortFields(other);

/** Determines the details of invalid fields. */
function evaluateFields(
  fields: readonly RefusedField[],
): Partial<LearnedIssues> & Pick<LearnedIssues, 'issues' | 'unexplained'> {
  const samples = fields.map(({ kind, field, response }) => ({ kind, field, sample: toSample(response) }));
  return learnIssues(samples) ?? { issues: {}, unexplained: [] };
}

function describeFields(fields: readonly RefusedField[]): string {
  const names = fields.map(({ kind }) => kind);
  return names.length === 0
    ? 'no invalid field was refused'
    : `requests with one problem: ${names.join(', ')}`;
}

function listAttempts({ plan }: ProbeContext): Attempt[] {
  const { from: from_currency, to: to_currency } = plan;
  const order = { from_currency, to_currency, amount: Number(plan.amount) };
  // The `+` keeps a sandbox with open accounts from opening one.
  const authorization = `Bearer service_test_unknown+${crypto.randomUUID()}`;
  const text = { raw: JSON.stringify(order), headers: { 'content-type': 'text/plain' } };
  return [
    { refusal: 'authentication', path: '/balance', request: { headers: { authorization } } },
    { refusal: 'unknown_path', path: '/no-such-path' },
    { refusal: 'unknown_method', path: '/quotes' },
    { refusal: 'unknown_payment', path: `/payments/pay_test_${'0'.repeat(24)}` },
    { refusal: 'unknown_page', path: '/transactions?page=9999' },
    ...(plan.foreignPayment === undefined
      ? []
      : [
          {
            refusal: 'foreign_payment',
            path: `/payments/${encodeURIComponent(plan.foreignPayment)}`,
          } as const,
        ]),
    { refusal: 'malformed_body', path: '/quotes', request: { raw: '{"amount": 1,}' } },
    { refusal: 'not_an_object', path: '/quotes', request: { raw: '[1]' } },
    { refusal: 'media_type', path: '/quotes', request: text },
  ];
}

/** Attempts payments that are refused: above the balance, and with the key of another payment. */
async function refusePayments(
  context: ProbeContext,
  add: (refusal: Refusal, response: RawResponse) => void,
): Promise<void> {
  const balance = await readBalance(context);
  const tooMuch = Number(balance / 1_000_000n) + 1_000;
  add('insufficient_funds', await createTestPayment(context, { amount: tooMuch }));
  const request = { headers: { 'idempotency-key': crypto.randomUUID() } };
  requireData(await createTestPayment(context, {}, request), 'POST /payments with an Idempotency-Key');
  add('key_reused', await createTestPayment(context, {}, request));
  const other = await createTestPayment(context, { amount: Number(context.plan.amount) + 1 }, request);
  add('key_of_other_body', other);
}

/** Returns a refusal with the values that it may show. */
export function toSample(response: RawResponse, fields: readonly string[] = []): Sample {
  const { status, body, text } = response;
  const { error, message, detail } = toRecord(body);
  const { type, message: inner } = toRecord(error);
  const stated = [inner, message, detail].find((each) => typeof each === 'string');
  return {
    json: isRecord(body) ? body : text,
    known: {
      mode: { kind: 'text', text: 'test' },
      ...(typeof type === 'string' && { type: { kind: 'text', text: type } }),
      ...(typeof stated === 'string' && { message: { kind: 'text', text: stated } }),
      ...readResponse(response),
      status: { kind: 'count', count: status },
    },
    lists: {
      fields: fields.map((name) => ({
        name,
        known: { field: { kind: 'text', text: name }, ...problemOf(body, name) },
      })),
    },
  };
}

/** Returns the text about a field: its name is a key, or it is beside its name. */
function problemOf(body: unknown, name: string): Sample['known'] {
  const text = findProblem(body, name);
  return text === undefined ? {} : { problem: { kind: 'text', text } };
}

function findProblem(json: unknown, name: string): string | undefined {
  if (typeof json !== 'object' || json === null) return undefined;
  const own = (json as Record<string, unknown>)[name];
  const [problem] = Array.isArray(own) ? own : [own];
  if (typeof problem === 'string') return problem;
  const values = Object.values(json);
  if (JSON.stringify(values).includes(`"${name}"`) && isRecord(json)) {
    const text = ['msg', 'message', 'detail', 'problem', 'error', 'description'].map((key) => json[key]);
    const isItem = values.some((value) => value === name || (Array.isArray(value) && value.includes(name)));
    const first = text.find((each) => typeof each === 'string');
    if (isItem && typeof first === 'string') return first;
  }
  return values.map((value) => findProblem(value, name)).find((each) => each !== undefined);
}

interface TemplateContext extends Refused {
  /** The value of `errorShape`. */
  readonly usual: unknown;
  /** The template of the body, if it is known. */
  readonly body: Template | undefined;
  readonly headers: ProbeContext['headers'];
}

/** Returns the parts of a refusal that differ from the one of the mock. */
export function toTemplate(
  refusal: Refusal,
  { samples, responses, usual, body: given, headers: all }: TemplateContext,
): RefusalTemplate {
  const [response] = responses;
  if (response === undefined) return {};
  const { status, headers, body } = response;
  const { type } = toRecord(toRecord(body).error);
  const [usualStatus, usualType] = documented[refusal] ?? [];
  const learned = given ?? learnBody(samples);
  return {
    ...(status !== usualStatus && { status }),
    ...(typeof type === 'string' && type !== usualType && { type }),
    ...(!isUsual(learned, refusal, usual) && { body: learned }),
    ...headersOf(refusal, { headers, body, all, learned: learnHeaders(toHeaderSamples(responses, samples)) }),
  };
}

/** Returns whether a body is that of most errors. */
function isUsual(body: Template, refusal: Refusal, usual: unknown): boolean {
  const whole = withMode(refusal, body);
  return isRecord(usual) ? sortFields(whole) === sortFields(usual.body) : isDocumentedBody(whole);
}

/** Returns whether a body is as documented. */
function isDocumentedBody(body: Template): boolean {
  const { mode, ...rest } = toRecord(body);
  const wanted = { success: false, error: { type: '{type}', message: '{message}' } };
  return mode === '{mode}' && JSON.stringify(rest) === JSON.stringify(wanted);
}

/** Returns the headers of refusals with the values that they may show. */
function toHeaderSamples(responses: readonly RawResponse[], samples: readonly Sample[]): HeaderSample[] {
  return responses.map(({ headers }, index) => ({ headers, known: samples[index]?.known ?? {} }));
}

/** Headers that the mock sends with one kind of refusal. */
const particular = new Set(['allow', 'content-type', 'www-authenticate']);

interface HeaderContext {
  readonly headers: Headers;
  readonly body: unknown;
  /** The headers that all responses of the refusal have. */
  readonly learned: Readonly<Record<string, string | null>>;
  /** The headers of every successful response. */
  readonly all: ProbeContext['headers'];
}

function headersOf(
  refusal: Refusal,
  { headers, body, all, learned }: HeaderContext,
): { readonly headers?: Readonly<Record<string, string | null>> } {
  const type = headers.get('content-type');
  const removed = [...all].filter(([name, text]) => text !== null && !headers.has(name));
  const added = Object.entries(learned).filter(([name]) => !all.has(name) && !particular.has(name));
  const own = {
    ...Object.fromEntries(added),
    ...Object.fromEntries(removed.map(([name]) => [name, null])),
    ...(!isRecord(body) && type !== null && { 'content-type': type }),
    ...(refusal === 'authentication' && headers.get('www-authenticate') !== 'Bearer'
      ? { 'www-authenticate': headers.get('www-authenticate') }
      : {}),
    ...(refusal === 'unknown_method' && { allow: headers.get('allow') }),
  };
  return Object.keys(own).length === 0 ? {} : { headers: own };
}
