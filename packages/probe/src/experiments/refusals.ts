import { isRecord, type Refusal, type RefusalTemplate, type Template, toRecord } from '@service/internal';
import { createTestPayment, type Experiment, type ProbeContext, requireData } from '../context.ts';
import { type Finding, found, unknown } from '../finding.ts';
import { describeResponse, isRefusal, type RawRequest, type RawResponse } from '../raw-client.ts';
import { learnTemplate, type Sample } from '../templates/learn.ts';
import { readBalance } from './watch.ts';

/** The experiment about the responses of refused requests. */
export const refusalShapes: readonly Experiment[] = [{ settings: ['refusals'], run: probeRefusals }];

/** A refused request. */
interface Attempt {
  readonly refusal: Refusal;
  readonly path: string;
  readonly request?: RawRequest;
  /** The names of the invalid fields. */
  readonly fields?: readonly string[];
}

/** The statuses and types with which the mock refuses. */
const documented: Readonly<Partial<Record<Refusal, readonly [status: number, type: string]>>> = {
  authentication: [401, 'authentication_error'],
  unknown_path: [404, 'not_found'],
  unknown_method: [405, 'method_not_allowed'],
  unknown_payment: [404, 'not_found'],
  foreign_payment: [403, 'permission_error'],
  validation: [422, 'validation_error'],
  media_type: [415, 'unsupported_media_type'],
  insufficient_funds: [422, 'insufficient_funds'],
  key_reused: [409, 'idempotency_error'],
  key_of_other_body: [422, 'idempotency_error'],
};

async function probeRefusals(context: ProbeContext): Promise<Finding[]> {
  const seen = new Map<Refusal, Sample[]>();
  const responses = new Map<Refusal, RawResponse[]>();
  const note = (refusal: Refusal, response: RawResponse, fields: readonly string[] = []): void => {
    if (!isRefusal(response)) return;
    responses.set(refusal, [...(responses.get(refusal) ?? []), response]);
    seen.set(refusal, [...(seen.get(refusal) ?? []), toSample(response, fields)]);
  };
  for (const { refusal, path, request, fields } of listAttempts(context))
    note(refusal, await context.send(path, request), fields);
  if (context.plan.payments) await refusePayments(context, note);
  const templates = [...seen].flatMap(([refusal, samples]): [Refusal, RefusalTemplate][] => {
    const template = toTemplate(refusal, samples, responses.get(refusal) ?? []);
    return Object.keys(template).length === 0 ? [] : [[refusal, template]];
  });
  const names = [...responses].map(
    ([refusal, [response]]) => response && `${refusal} ${describeResponse(response)}`,
  );
  const evidence = names.join(', ');
  if (responses.size === 0) return [unknown('refusals', 'no request was refused')];
  return [found('refusals', Object.fromEntries(templates), evidence)];
}

function listAttempts({ plan }: ProbeContext): Attempt[] {
  const { from: from_currency, to: to_currency } = plan;
  const order = { from_currency, to_currency, amount: Number(plan.amount) };
  // The `+` keeps a sandbox with open accounts from opening one.
  const authorization = `Bearer service_test_unknown+${crypto.randomUUID()}`;
  const quote = (changes: object, fields: readonly string[]): Attempt => ({
    refusal: 'validation',
    path: '/quotes',
    request: { body: { ...order, ...changes } },
    fields,
  });
  const text = { raw: JSON.stringify(order), headers: { 'content-type': 'text/plain' } };
  return [
    { refusal: 'authentication', path: '/balance', request: { headers: { authorization } } },
    { refusal: 'unknown_path', path: '/no-such-path' },
    { refusal: 'unknown_method', path: '/quotes' },
    { refusal: 'unknown_payment', path: `/payments/pay_test_${'0'.repeat(24)}` },
    ...(plan.foreignPayment === undefined
      ? []
      : [
          {
            refusal: 'foreign_payment',
            path: `/payments/${encodeURIComponent(plan.foreignPayment)}`,
          } as const,
        ]),
    quote({ to_currency: 'XXX' }, ['to_currency']),
    quote({ amount: -1 }, ['amount']),
    quote({ to_currency: 'XXX', amount: -1 }, ['to_currency', 'amount']),
    { refusal: 'malformed_body', path: '/quotes', request: { raw: '{"amount": 1,}' } },
    { refusal: 'media_type', path: '/quotes', request: text },
  ];
}

/** Attempts payments that are refused: above the balance, and with the key of another payment. */
async function refusePayments(
  context: ProbeContext,
  note: (refusal: Refusal, response: RawResponse) => void,
): Promise<void> {
  const balance = await readBalance(context);
  const tooMuch = Number(balance / 1_000_000n) + 1_000;
  note('insufficient_funds', await createTestPayment(context, { amount: tooMuch }));
  const request = { headers: { 'idempotency-key': crypto.randomUUID() } };
  requireData(await createTestPayment(context, {}, request), 'POST /payments with an Idempotency-Key');
  note('key_reused', await createTestPayment(context, {}, request));
  const other = await createTestPayment(context, { amount: Number(context.plan.amount) + 1 }, request);
  note('key_of_other_body', other);
}

function toSample({ status, body, text }: RawResponse, fields: readonly string[]): Sample {
  const { error, message, detail } = toRecord(body);
  const { type, message: inner } = toRecord(error);
  const stated = [inner, message, detail].find((each) => typeof each === 'string');
  return {
    json: isRecord(body) ? body : text,
    known: {
      mode: { kind: 'text', text: 'test' },
      ...(typeof type === 'string' && { type: { kind: 'text', text: type } }),
      ...(typeof stated === 'string' && { message: { kind: 'text', text: stated } }),
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

/** Returns the parts of a refusal that differ from the one of the mock. */
function toTemplate(
  refusal: Refusal,
  samples: readonly Sample[],
  responses: readonly RawResponse[],
): RefusalTemplate {
  const [response] = responses;
  if (response === undefined) return {};
  const { status, headers, body } = response;
  const { type } = toRecord(toRecord(body).error);
  const [usualStatus, usualType] = documented[refusal] ?? [];
  const { template: learned } = learnTemplate(samples, { numbers: 'number' });
  return {
    ...(status !== usualStatus && { status }),
    ...(typeof type === 'string' && type !== usualType && { type }),
    ...(!isDocumentedBody(learned) && { body: learned }),
    ...headersOf(refusal, headers, body),
  };
}

/** Returns whether a body is as documented; `mode` is the one of the caller or absent. */
function isDocumentedBody(body: Template): boolean {
  const { mode = '{mode}', ...rest } = toRecord(body);
  const wanted = { success: false, error: { type: '{type}', message: '{message}' } };
  return mode === '{mode}' && JSON.stringify(rest) === JSON.stringify(wanted);
}

function headersOf(
  refusal: Refusal,
  headers: Headers,
  body: unknown,
): { readonly headers?: Readonly<Record<string, string | null>> } {
  const type = headers.get('content-type');
  const own = {
    ...(!isRecord(body) && type !== null && { 'content-type': type }),
    ...(refusal === 'authentication' && headers.get('www-authenticate') !== 'Bearer'
      ? { 'www-authenticate': headers.get('www-authenticate') }
      : {}),
    ...(refusal === 'unknown_method' && { allow: headers.get('allow') }),
  };
  return Object.keys(own).length === 0 ? {} : { headers: own };
}
