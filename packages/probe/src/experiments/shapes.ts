import { type JsonObject, type ObjectTemplate, parseJson, toMicro, toRecord } from '@service/internal';
import {
  createTestPayment,
  type Experiment,
  type ProbeContext,
  requestQuote,
  requireData,
} from '../context.ts';
import { type Finding, found, other, unknown } from '../finding.ts';
import { type KnownValues, readTimestamp, readTimestampForm } from '../templates/known.ts';
import type { DefaultForms } from '../templates/known.ts';
import { addUnexplained, learnTemplate, type Sample } from '../templates/learn.ts';
import { learnHeaders } from '../templates/headers.ts';
import { learnIdForm } from '../templates/ids.ts';

/** The experiments about additional fields and headers of responses, and the forms of ids. */
export const shapes: readonly Experiment[] = [
  { settings: ['quoteShape'], run: probeQuoteShape },
  { settings: ['balanceShape'], run: probeBalanceShape },
  { settings: ['paymentShape', 'ids'], pays: true, run: probePaymentShape },
  { settings: ['headers'], run: probeHeaders },
];

/** The experiment about the bodies of webhooks. It runs after those that cause webhooks. */
export const eventShapes: readonly Experiment[] = [
  { settings: ['eventShape', 'eventHeaders'], run: probeEventShape },
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

async function probeQuoteShape(context: ProbeContext): Promise<Finding[]> {
  const { amount } = context.plan;
  const samples: Sample[] = [];
  for (const factor of [1, 3, 7]) {
    const response = await requestQuote(context, { amount: Number(amount) * factor });
    const data = requireData(response, 'POST /quotes');
    samples.push({ json: data, known: readQuote(data) });
  }
  return [evaluateShape('quoteShape', samples, quoteFields)];
}

const eventFields = ['event', 'created_at', 'data'];
const eventDataFields = [
  'id',
  'status',
  'from_currency',
  'to_currency',
  'send_amount',
  'receive_amount',
  'mode',
];

async function probeEventShape({ recorder }: ProbeContext): Promise<Finding[]> {
  const headers = unknown('eventHeaders', 'the headers of webhooks are not recorded');
  const bodies = (recorder?.webhooks ?? []).map(({ text }) => toRecord(parseJson(text)));
  if (bodies.length === 0) return [unknown('eventShape', 'requires webhooks: pass `webhooks`'), headers];
  return [evaluateEvents(bodies), headers];
}

/** Compares the bodies of webhooks with the documented one. */
export function evaluateEvents(bodies: readonly JsonObject[]): Finding {
  const names = [
    ...new Set(bodies.flatMap((body) => [...Object.keys(body), ...Object.keys(toRecord(body.data))])),
  ];
  const evidence = `fields: ${names.join(', ')}`;
  const isDocumented = names.every((name) => [...eventFields, ...eventDataFields].includes(name));
  if (isDocumented) return found('eventShape', 'documented', evidence);
  const samples = bodies.map((json): Sample => {
    const data = toRecord(json.data);
    const at = readTimestamp(json.created_at) ?? 0;
    const texts = ['id', 'status', 'mode'].map((name) => [name, textOf(data[name])] as const);
    return { json, known: { ...readQuote(data), ...Object.fromEntries(texts), at: { kind: 'time', at } } };
  });
  const { template, unexplained } = learnTemplate(
    samples,
    formsOf({ ...bodies[0], ...toRecord(bodies[0]?.data) }),
  );
  const isNamed = bodies.every(({ event, data }) => event === `payment.${String(toRecord(data).status)}`);
  const named = isNamed ? { ...(template as ObjectTemplate), event: 'payment.{status}' } : template;
  const others = unexplained.filter((name) => !isNamed || name !== 'event');
  return found('eventShape', named as ObjectTemplate, addUnexplained(evidence, others));
}

async function probeBalanceShape({ send }: ProbeContext): Promise<Finding[]> {
  return [evaluateBalances(requireData(await send('/balance'), 'GET /balance'))];
}

/** Compares the balances with the documented fields. */
export function evaluateBalances(data: JsonObject): Finding {
  const entries = Array.isArray(data.balances) ? data.balances.map(toRecord) : [];
  const wallets = entries.map(({ currency, balance }) => ({
    name: String(currency),
    known: {
      currency: textOf(currency),
      balance: { kind: 'amount', micro: toMicro(balance) ?? 0n } as const,
    },
  }));
  const names = new Set([...Object.keys(data), ...entries.flatMap((entry) => Object.keys(entry))]);
  const evidence = `fields: ${[...names].join(', ')}`;
  const isDocumented =
    ['balances', 'currency', 'balance'].every((name) => names.delete(name)) && names.size === 0;
  if (isDocumented) return found('balanceShape', 'documented', evidence);
  if (entries.length === 0) return unknown('balanceShape', evidence);
  const learned = learnTemplate([{ json: data, known: {}, lists: { wallets } }], formsOf(data));
  return found(
    'balanceShape',
    learned.template as ObjectTemplate,
    addUnexplained(evidence, learned.unexplained),
  );
}

/** Creates a payment with all fields and one with the required fields only. */
async function probePaymentShape(context: ProbeContext): Promise<Finding[]> {
  const details = {
    beneficiary_bank: 'Probe Bank',
    beneficiary_account: 'PROBE-ACCOUNT-1',
    beneficiary_country: 'DE',
    purpose: `Probe ${crypto.randomUUID().slice(0, 8)}`,
  };
  const made: {
    readonly response: { readonly headers: Headers };
    readonly data: JsonObject;
    readonly known: KnownValues;
  }[] = [];
  // Amounts that no other payment of the probe has.
  for (const [more, fields] of [
    [3, { ...details, beneficiary_name: `${context.plan.name} with all fields` }],
    [7, {}],
  ] as const) {
    const amount = Number(context.plan.amount) + more;
    const quote = requireData(await requestQuote(context, { amount }), 'POST /quotes');
    const response = await createTestPayment(context, { amount, ...fields });
    const data = requireData(response, 'POST /payments');
    made.push({ response, data, known: readPayment(data, { ...emptyDetails, ...fields }, quote) });
  }
  context.made.push(
    ...made.map(({ data, known, response: { headers } }) => ({ known, forms: formsOf(data), headers })),
  );
  const samples = made.map(({ data, known }) => ({ json: data, known }));
  const ids = made.map(({ data }) => String(data.id));
  const form = learnIdForm(ids, 'pay_test_');
  return [
    evaluateShape('paymentShape', samples, paymentFields),
    form === undefined
      ? found('ids', {}, `payment ids such as ${ids[0]}`)
      : found('ids', { payment: `pay_{mode}_${form}` }, `payment ids such as ${ids[0]}`),
  ];
}

const emptyDetails = {
  beneficiary_bank: null,
  beneficiary_account: null,
  beneficiary_country: null,
  purpose: null,
};

/** Compares the headers of responses: those of every operation, and those of a create. */
async function probeHeaders(context: ProbeContext): Promise<Finding[]> {
  const { send, made } = context;
  const others = [
    await send('/balance'),
    await send('/transactions?per_page=1'),
    await requestQuote(context),
    await send('/balance'),
  ];
  for (const response of others) requireData(response, 'a valid request');
  const all = learnHeaders(
    [...made.map(({ headers }) => headers), ...others.map(({ headers }) => headers)].map((headers) => ({
      headers,
      known: {},
    })),
  );
  for (const [name, text] of Object.entries(all)) context.headers.set(name, text);
  const create = Object.entries(learnHeaders(made)).filter(([name]) => !(name in all));
  const value = {
    ...(Object.keys(all).length > 0 && { all }),
    ...(create.length > 0 && { createPayment: Object.fromEntries(create) }),
  };
  const names = [...Object.keys(all), ...create.map(([name]) => name)];
  return [found('headers', value, names.length === 0 ? 'no other headers' : `headers: ${names.join(', ')}`)];
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
  const { template, unexplained } = learnTemplate(samples, formsOf(samples[0]?.json));
  return found(setting, template as ObjectTemplate, addUnexplained(evidence, unexplained));
}

/** Returns the known values of a quote: the documented fields explain the others. */
export function readQuote(data: JsonObject): KnownValues {
  const amounts = ['send_amount', 'fee', 'rate', 'receive_amount'].flatMap((name) =>
    amountOf(name, data[name]),
  );
  const [send = 0n, fee = 0n] = [toMicro(data.send_amount), toMicro(data.fee)];
  return {
    from_currency: textOf(data.from_currency),
    to_currency: textOf(data.to_currency),
    ...(Object.fromEntries(amounts) as KnownValues),
    debit: { kind: 'amount', micro: send + fee },
  };
}

/** Returns the known values of a payment: of its request, its quote and the documented fields of the response. */
export function readPayment(
  data: JsonObject,
  request: Readonly<Record<string, unknown>>,
  quote: JsonObject,
): KnownValues {
  const created = readTimestamp(data.created_at) ?? 0;
  const { name } = toRecord(data.beneficiary);
  return {
    ...readQuote({ ...quote, ...data }),
    id: textOf(data.id),
    status: textOf(data.status),
    mode: textOf('test'),
    beneficiary_name: textOf(name),
    beneficiary_bank: textOf(request.beneficiary_bank),
    beneficiary_account: textOf(request.beneficiary_account),
    beneficiary_country: textOf(request.beneficiary_country),
    purpose: textOf(request.purpose),
    created_at: { kind: 'time', at: created },
    updated_at: { kind: 'time', at: created },
  };
}

function textOf(value: unknown): { readonly kind: 'text'; readonly text: string | null } {
  return { kind: 'text', text: typeof value === 'string' ? value : null };
}

function amountOf(name: string, value: unknown): [string, { kind: 'amount'; micro: bigint }][] {
  const micro = toMicro(value);
  return micro === undefined ? [] : [[name, { kind: 'amount', micro }]];
}

/** Reads the forms of a response whose values have no words. */
export function formsOf(json: unknown): DefaultForms {
  const { send_amount, created_at } = toRecord(json);
  return {
    numbers: typeof send_amount === 'string' ? 'string' : 'number',
    timestamps: readTimestampForm(created_at),
  };
}
