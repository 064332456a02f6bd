import { isRecord, type JsonObject, type ObjectTemplate, toRecord } from '@service/internal';
import {
  createTestPayment,
  type Experiment,
  type ProbeContext,
  requestQuote,
  requireData,
} from '../context.ts';
import { type Finding, found, other } from '../finding.ts';
import { addUnexplained, learnTemplate } from '../templates/learn.ts';
import type { Sample } from '../templates/sample.ts';
import { type HeaderSample, learnHeaders } from '../templates/headers.ts';
import { learnIdForm, learnRowIdForm } from '../templates/ids.ts';
import { learnLimitsByMethod } from '../templates/limits.ts';
import { paymentCases } from '../templates/states.ts';
import {
  emptyDetails,
  formsOf,
  listBeside,
  readPayment,
  readQuote,
  readResponse,
  paymentKey,
  responseKey,
} from '../templates/values.ts';
import type { RawResponse } from '../raw-client.ts';
import { readHistory } from './history-reader.ts';
import { noDecimals } from './no-decimals.ts';

/** The experiments about additional fields and headers of responses, and the forms of ids. */
export const shapes: readonly Experiment[] = [
  { settings: ['quoteShape'], run: probeQuoteShape },
  { settings: ['ids'], pays: true, run: probeIds },
  { settings: ['headers', 'envelope'], run: probeHeaders },
];

/** The documented fields of a quote. */
export const quoteFields: readonly string[] = [
  'from_currency',
  'to_currency',
  'send_amount',
  'fee',
  'rate',
  'receive_amount',
];
/** The documented fields of a payment. */
export const paymentFields: readonly string[] = [
  'id',
  'status',
  'from_currency',
  'to_currency',
  'send_amount',
  'rate',
  'receive_amount',
  'beneficiary',
  'purpose',
  'created_at',
];

const SECOND = 1_100;

async function probeQuoteShape(context: ProbeContext): Promise<Finding[]> {
  const { amount, from, to } = context.plan;
  const samples: Sample[] = [];
  for (const factor of [1, 3, 7]) {
    const response = await requestQuote(context, { amount: Number(amount) * factor });
    requireData(response, 'POST /quotes');
    samples.push(toQuoteSample(response));
  }
  const isDocumented = samples.every(({ json }) =>
    Object.keys(toRecord(json)).every((name) => quoteFields.includes(name)),
  );
  // Times in whole seconds are equal until then.
  if (!isDocumented) await context.sleep(SECOND);
  // Another rate and other currencies, if the service has this pair.
  const back = await requestQuote(context, { from_currency: to, to_currency: from });
  if (back.accepted) samples.push(toQuoteSample(back));
  return [evaluateShape('quoteShape', samples, quoteFields)];
}

function toQuoteSample(response: RawResponse): Sample {
  return { json: response.data, known: { ...readQuote(response.data), ...readResponse(response) } };
}

/** Creates a payment with all fields and one with the required fields only. */
async function probeIds(context: ProbeContext): Promise<Finding[]> {
  const details = {
    beneficiary_bank: 'Probe Bank',
    beneficiary_account: 'PROBE-ACCOUNT-1',
    beneficiary_country: 'DE',
    purpose: `Probe ${crypto.randomUUID().slice(0, 8)}`,
  };
  // Amounts that no other payment of the probe has, and whose decimals differ.
  const [first, second] = noDecimals.includes(context.plan.from) ? [3, 7] : [3.17, 7.41];
  for (const [more, fields] of [
    [first, { ...details, beneficiary_name: `${context.plan.name} with all fields` }],
    [second, {}],
  ] as const) {
    const amount = Number((Number(context.plan.amount) + more).toFixed(2));
    const quote = requireData(await requestQuote(context, { amount }), 'POST /quotes');
    const response = await createTestPayment(context, { amount, ...fields });
    const data = requireData(response, 'POST /payments');
    const known = readPayment(data, { ...emptyDetails, ...fields }, quote);
    context.made.push({ response, known, forms: formsOf(data), isOnlyAmount: true });
  }
  return [evaluateIds([...context.created.keys()], await listRowIds(context))];
}

/** Returns the ids of the rows of the transaction list so far. */
async function listRowIds({ send }: ProbeContext): Promise<string[]> {
  const response = await send('/transactions?per_page=100');
  const page = response.accepted ? readHistory(response) : { raw: [] };
  return ('raw' in page ? page.raw : []).flatMap(({ id }) => (typeof id === 'string' ? [id] : []));
}

/** Determines the forms of the ids of payments and transactions. */
function evaluateIds(payments: readonly string[], rows: readonly string[]): Finding {
  const form = learnIdForm(payments, 'pay_test_');
  const transaction = learnRowIdForm(rows);
  const shown = [
    `payment ids such as ${payments[0]}`,
    ...(rows[0] ? [`transaction ids such as ${rows[0]}`] : []),
  ];
  const value = {
    ...(form !== undefined && { payment: `pay_{mode}_${form}` }),
    ...(transaction !== undefined && transaction !== DEFAULT_ROW_ID && { transaction }),
  };
  return found('ids', value, shown.join(', '));
}

/** The form of transaction ids by default. */
const DEFAULT_ROW_ID = 'txn_{mode}_{base62 24}';

/** Compares the headers of responses: those of every operation, and those of a create. */
async function probeHeaders(context: ProbeContext): Promise<Finding[]> {
  const { send, replays } = context;
  const made = context.made.map(({ response: { headers }, known }) => ({ headers, known }));
  const others = [
    await send('/balance'),
    await send('/transactions?per_page=1'),
    await requestQuote(context),
    await send('/balance'),
  ];
  for (const response of others) requireData(response, 'a valid request');
  const limits = learnLimitsByMethod(context.readings);
  const shared = learnHeaders(
    [...made.map(({ headers }) => headers), ...others.map(({ headers }) => headers)].map((headers) => ({
      headers,
      known: {},
    })),
    limits.headers,
  );
  // The mock leaves out the remaining requests if the limit does not count a request.
  const all: typeof shared = { ...shared, ...Object.fromEntries(limits.own) };
  for (const [name, text] of Object.entries(all)) context.headers.set(name, text);
  const create = Object.entries(learnHeaders(made)).filter(([name]) => !(name in all));
  const replay = learnReplay(replays, { ...all, ...Object.fromEntries(create) });
  const value = {
    ...(Object.keys(all).length > 0 && { all }),
    ...(create.length > 0 && { createPayment: Object.fromEntries(create) }),
    ...(Object.keys(replay).length > 0 && { replayPayment: replay }),
  };
  const names = [...Object.keys(all), ...create.map(([name]) => name), ...Object.keys(replay)];
  return [
    found('headers', value, names.length === 0 ? 'no other headers' : `headers: ${names.join(', ')}`),
    evaluateEnvelope(others, context),
  ];
}

/** Learns the fields that all successful responses have beside `data`. */
function evaluateEnvelope(responses: readonly RawResponse[], { envelope }: ProbeContext): Finding {
  const shared = keepShared(responses.map(({ body }) => listBeside(body)));
  const samples = responses.map((response, index) => ({
    json: shared[index],
    known: readResponse(response),
  }));
  const { template, unexplained } = learnTemplate(samples, { numbers: 'number', key: responseKey });
  Object.assign(envelope, template);
  const names = Object.keys(envelope);
  const evidence = names.length === 0 ? 'no other fields' : `fields beside data: ${names.join(', ')}`;
  return found('envelope', template as ObjectTemplate, addUnexplained(evidence, unexplained));
}

/** Returns the objects with only the fields that all of them have, also in their objects. */
function keepShared(objects: readonly JsonObject[]): JsonObject[] {
  const names = Object.keys(objects[0] ?? {}).filter((name) => objects.every((one) => name in one));
  const fields = names.map((name) => {
    const values = objects.map((one) => one[name]);
    return [name, values.every(isRecord) ? keepShared(values) : values] as const;
  });
  return objects.map((_, index) => Object.fromEntries(fields.map(([name, values]) => [name, values[index]])));
}

/** Learns the headers of a replayed create that a create does not have. */
function learnReplay(
  replays: readonly HeaderSample[],
  created: Readonly<Record<string, string | null>>,
): Readonly<Record<string, string | null>> {
  const [first] = replays;
  if (first === undefined) return {};
  const own = Object.entries(learnHeaders(replays)).filter(([name]) => !(name in created));
  const { 'idempotent-replayed': mark, ...learned } = Object.fromEntries(own);
  const missing = Object.entries(created).filter(([name, text]) => text !== null && !first.headers.has(name));
  return {
    ...learned,
    ...Object.fromEntries(missing.map(([name]) => [name, null])),
    // The mark of the mock.
    ...(mark !== 'true' && { 'idempotent-replayed': mark ?? null }),
  };
}

/** Returns `documented` for the documented fields, or the learned template. */
export function evaluateShape(
  setting: 'quoteShape' | 'paymentShape',
  samples: readonly Sample[],
  fields: readonly string[],
): Finding {
  const names = [...new Set(samples.flatMap(({ json }) => Object.keys(toRecord(json))))];
  const evidence = `fields: ${names.join(', ')}`;
  const missing = fields.filter((name) => !names.includes(name) && name !== 'purpose');
  if (missing.length > 0) return other(setting, `${evidence}; without ${missing.join(', ')}`);
  if (names.every((name) => fields.includes(name))) return found(setting, 'documented', evidence);
  const forms = {
    ...formsOf(samples[0]?.json),
    ...(setting === 'quoteShape' ? { key: responseKey } : { key: paymentKey, cases: paymentCases }),
  };
  const { template, unexplained } = learnTemplate(samples, forms);
  return found(setting, template as ObjectTemplate, addUnexplained(evidence, unexplained));
}
