// The fields and headers of successful responses, and the forms of ids.
import {
  type BesideTemplates,
  documentedPayment,
  documentedQuote,
  findTemplateProblems,
  headerNames,
  isRecord,
  isUniqueForm,
  type JsonObject,
  type ObjectTemplate,
  toMicro,
  toRecord,
} from '@service/internal';
import type { RawResponse } from '../client.ts';
import { type Part, found, learned, other, unknown } from '../finding.ts';
import { rowsOf } from '../history.ts';
import { type LearnedHeaders, learnHeaders, mockHeaders } from '../templates/headers.ts';
import { learnIdForm, learnRowIdForm } from '../templates/ids.ts';
import { findRowId, longestOf } from '../templates/rows.ts';
import { listLeaves } from '../templates/json.ts';
import {
  type DefaultForms,
  isSameJson,
  type Known,
  type KnownValues,
  type Sample,
  type Wallet,
} from '../templates/known.ts';
import { learnTemplate } from '../templates/learn.ts';
import {
  addStatuses,
  listBeside,
  paymentKey,
  readOrigin,
  readQuote,
  readResponse,
  responseKey,
  textOf,
} from '../templates/values.ts';
import { type Call, findRepeated, type Traffic } from '../traffic.ts';
import { listShown } from './statuses.ts';

/** Number of responses from which a template tells constant values from others. */
const MIN_SAMPLES = 2;
/** Number of responses of an operation whose headers are compared. */
const MAX_SAMPLES = 8;

/** Learns the fields of quotes, payments and balances, and those beside `data`. */
export function learnShapes(traffic: Traffic, envelope: Envelope): Part[] {
  const { quotes, payments, pages } = traffic;
  const ids = payments.map(({ id }) => id);
  const rows = longestOf(pages.map(({ response }) => ({ rows: rowsOf(response) ?? [] })));
  const idName = findRowId(rows);
  const rowIds = rows.flatMap(({ [idName]: id }) => (typeof id === 'string' ? [id] : []));
  const ofQuotes = listQuotes(quotes);
  const { creates, reads } = listPayments(traffic);
  const ofPayments = [...creates, ...reads].map(({ response, known }) => ({ json: response.data, known }));
  const quoteShape = evaluateShape('quoteShape', ofQuotes, Object.keys(documentedQuote), traffic.forms);
  const paymentShape = evaluateShape(
    'paymentShape',
    ofPayments,
    Object.keys(documentedPayment),
    traffic.forms,
  );
  return [
    quoteShape,
    shareCases(paymentShape, quoteShape),
    evaluateBalances(traffic),
    evaluateIds(ids, rowIds),
    learned(
      'beside.all',
      envelope.template,
      `fields beside data: ${namesOf(envelope.template)}`,
      envelope.unexplained,
    ),
    learnBeside(traffic, envelope),
  ];
}

/** Returns the quotes with the values that they can show. A rounded rate can hide the fee on top of single ones. */
function listQuotes(quotes: readonly Call[]): Sample[] {
  const samples = quotes.map(({ response }) => ({
    json: response.data,
    known: { ...readQuote(response.data), ...readResponse(response) },
  }));
  const isOnTop = samples.filter(({ known }) => 'debit' in known).length * 2 > samples.length;
  return samples.map(({ json, known }) => {
    const { debit: _, ...values }: KnownValues = known;
    const { send_amount: send, fee } = values;
    if (!isOnTop || send?.kind !== 'amount' || fee?.kind !== 'amount') return { json, known: values };
    return { json, known: { ...values, debit: { kind: 'amount', micro: send.micro + fee.micro } } };
  });
}

const namesOf = (object: object): string => Object.keys(object).join(', ') || 'none';

/** Returns `documented` for the documented fields, or the learned template. */
function evaluateShape(
  setting: 'quoteShape' | 'paymentShape',
  samples: readonly Sample[],
  fields: readonly string[],
  forms: DefaultForms,
): Part {
  if (samples.length < MIN_SAMPLES) return unknown(setting, 'requires two quotes or payments');
  const names = [...new Set(samples.flatMap(({ json }) => Object.keys(toRecord(json))))];
  const evidence = `fields: ${names.join(', ')}`;
  const missing = fields.filter((name) => !names.includes(name) && name !== 'purpose');
  if (missing.length > 0) return other(setting, `${evidence}; without ${missing.join(', ')}`);
  if (names.every((name) => fields.includes(name))) return found(setting, 'documented', evidence);
  const key = setting === 'quoteShape' ? responseKey : paymentKey;
  const { template, unexplained } = learnTemplate(samples, { ...forms, key });
  const seen = new Set(samples.map(({ json }) => toRecord(json).status));
  const unseen = ['completed', 'failed'].filter((status) => setting === 'paymentShape' && !seen.has(status));
  return learned(setting, template, evidence, [
    ...unexplained,
    ...unseen.map((status) => `payments that are ${status}`),
  ]);
}

/**
 * Replaces texts of the shape of payments by the cases of the same field of quotes. All payments of a run have the same currencies,
 * so that a field that depends on a currency is constant in them.
 */
function shareCases(payments: Part, quotes: Part): Part {
  if (!('value' in payments && 'value' in quotes && isRecord(payments.value))) return payments;
  const fields = Object.entries(payments.value).map(([name, own]) => {
    const cases = toRecord(quotes.value)[name];
    const isShown = isRecord(cases) && JSON.stringify(cases).includes(`:${JSON.stringify(own)}`);
    return [name, typeof own === 'string' && isShown ? cases : own] as const;
  });
  return { ...payments, value: Object.fromEntries(fields) };
}

/** A response with a payment, and the values that the payment had then. */
interface PaymentResponse {
  readonly response: RawResponse;
  readonly known: KnownValues;
}

/** Returns the responses to creates, and the first read of each status of each payment. */
function listPayments({ payments: all }: Traffic): Record<'creates' | 'reads', PaymentResponse[]> {
  // A service can write empty texts in another form, which is another setting.
  const payments = all.filter(({ create }) => create.sent.purpose !== '');
  const creates = payments.map(({ create, known }) => ({
    response: create.response,
    known: { ...addStatuses(known, []), ...readOrigin(create.response) },
  }));
  const shown = payments.flatMap((payment) => {
    const seen = listShown(payment);
    return seen.map(({ call }, index) => ({
      response: call.response,
      known: { ...addStatuses(payment.known, seen.slice(0, index + 1)), ...readOrigin(call.response) },
    }));
  });
  // Some values, such as a fee, are only known of payments that followed a quote.
  const hasFee = ({ known }: PaymentResponse): boolean => 'fee' in known;
  const some = creates.filter(hasFee).length >= MIN_SAMPLES;
  return { creates: some ? creates.filter(hasFee) : creates, reads: some ? shown.filter(hasFee) : shown };
}

/** The form of ids by default, with which later payments sort behind earlier ones, and that of transactions. */
const DEFAULT_ID = '{base62 24}';
const DEFAULT_ROW_ID = 'txn_{mode}_{base62 24}';

function evaluateIds(payments: readonly string[], rows: readonly string[]): Part {
  if (payments.length < MIN_SAMPLES) return unknown('ids', 'requires two payments');
  const form = learnIdForm(payments, 'pay_test_');
  const transaction = learnRowIdForm(rows);
  const shown = [...payments.slice(0, 1), ...rows.slice(0, 1)].join(', ');
  const value = {
    ...(form !== undefined && form !== DEFAULT_ID && isUniqueForm(form) && { payment: `pay_{mode}_${form}` }),
    ...(transaction && transaction !== DEFAULT_ROW_ID && isUniqueForm(transaction) && { transaction }),
  };
  return learned('ids', value, `ids such as ${shown}`, form === undefined ? ['the ids of payments'] : []);
}

/** The headers of every successful response, and those that differ without an explanation. */
export interface CommonHeaders {
  readonly all: LearnedHeaders;
  readonly unexplained: ReadonlySet<string>;
}

/** Number of operations from which a header of all of them counts as one of every response. */
const MIN_OPERATIONS = 3;

/** Returns the first responses of each operation. */
const listFirst = (operations: readonly (readonly Call[])[]): RawResponse[] =>
  operations.flatMap((calls) => calls.slice(0, 4).map(({ response }) => response));

/** Learns the headers that responses to all operations have. */
function learnShared(operations: readonly (readonly Call[])[], others?: Set<string>): LearnedHeaders {
  const samples = listFirst(operations).map((response) => ({ response, known: readResponse(response) }));
  return learnHeaders(samples, mockHeaders, others);
}

/**
 * Learns the headers of every successful response, and those of a rate limit, which can count the requests of one method.
 * Empty if the traffic has too few operations to tell.
 */
export function learnCommonHeaders({ payments, quotes, balances, pages, reads }: Traffic): CommonHeaders {
  const posts = [quotes, payments.map(({ create }) => create)];
  const gets = [balances, pages, reads];
  const unexplained = new Set<string>();
  if ([...posts, ...gets].filter((calls) => calls.length > 0).length < MIN_OPERATIONS)
    return { all: {}, unexplained };
  const ofLimit = [posts, gets].flatMap((operations) =>
    Object.entries(learnShared(operations)).flatMap(([name, text]) =>
      // A constant header would be one of the other method too.
      /rate-?limit/.test(name) ? [[name, text?.replace(/^\d+$/, '{limit}') ?? null] as const] : [],
    ),
  );
  return {
    all: { ...Object.fromEntries(ofLimit), ...learnShared([...posts, ...gets], unexplained) },
    unexplained,
  };
}

/** Compares the headers of every response, of each operation, and of a replayed create. */
export function learnResponseHeaders(traffic: Traffic, { all, unexplained }: CommonHeaders): Part {
  const { payments, calls, quotes, balances, pages, reads } = traffic;
  const operations = {
    createPayment: payments.map(({ create: { response }, known }) => ({
      response,
      known: { ...known, ...readOrigin(response) },
    })),
    createQuote: toResponses(quotes.slice(0, MAX_SAMPLES)),
    getPayment: toResponses(reads.slice(0, MAX_SAMPLES)),
    getBalance: toResponses(balances.slice(0, MAX_SAMPLES)),
    listTransactions: toResponses(pages.slice(0, MAX_SAMPLES)),
  };
  const responses = Object.values(operations).flat();
  if (responses.length === operations.createPayment.length)
    return unknown('headers.*', 'requires responses of several operations');
  const usual = { ...mockHeaders, ...all };
  const own = Object.entries(operations).flatMap(([operation, samples]) => {
    const ofOperation = samples.length < MIN_SAMPLES ? {} : learnHeaders(samples, usual);
    const entries = Object.entries(ofOperation).filter(
      ([name, text]) =>
        text !== null &&
        !(operation === 'listTransactions' && name === 'link') &&
        // A header of every response that too few operations show would count as one of the operation.
        responses.some(({ response }) => !response.headers.has(name)),
    );
    return entries.length > 0 ? [[operation, Object.fromEntries(entries)] as const] : [];
  });
  const replays = calls.flatMap((call) => {
    const { response, path } = call;
    const first = findRepeated(call, traffic)?.response;
    if (!response.accepted || path !== '/payments' || !first || first.data.id !== response.data.id) return [];
    // The mock has no value for the id of the first response: a header with it is left out.
    const { request_id: first_request_id = textOf(null) } = readResponse(first);
    return [{ response, known: { id: textOf(response.data.id), first_request_id } }];
  });
  const ofOperations: Readonly<Record<string, LearnedHeaders>> = Object.fromEntries(own);
  const ofCreates = { ...usual, ...ofOperations.createPayment, 'idempotent-replayed': 'true' };
  const replay = learnHeaders(replays, ofCreates);
  const missing = new Set(unexplained);
  const value = Object.entries({ all, ...ofOperations, replayPayment: replay }).flatMap(
    ([operation, each]) => {
      // One header with a value that its operation does not have must not hide the others.
      const entries = Object.entries(each).filter(([name, text]) => {
        const names = headerNames[operation] ?? [];
        if (text === null || findTemplateProblems(text, { names }, name).length === 0) return true;
        missing.add(name);
        return false;
      });
      return entries.length > 0 ? [[operation, Object.fromEntries(entries)] as const] : [];
    },
  );
  const names = new Set(value.flatMap(([, headers]) => Object.keys(headers)));
  const evidence = `headers: ${[...names].join(', ') || 'none'}`;
  return learned('headers.*', Object.fromEntries(value), evidence, [...missing]);
}

/** The fields that all successful responses have beside `data`. */
export interface Envelope {
  readonly template: ObjectTemplate;
  readonly unexplained: readonly string[];
}

/** Learns the fields that all successful responses have beside `data`. */
export function learnEnvelope({ payments, quotes, balances, pages, reads }: Traffic): Envelope {
  const creates = payments.map(({ create }) => create);
  const responses = listFirst([quotes, balances, pages, creates, reads]);
  const bodies = responses.map(({ body }) => listBeside(body));
  const names = Object.keys(bodies[0] ?? {}).filter((name) => bodies.every((body) => name in body));
  const samples = responses.map((response, index) => ({
    json: Object.fromEntries(names.map((name) => [name, bodies[index]?.[name]])),
    known: readResponse(response),
  }));
  const { template, unexplained } = learnTemplate(samples, { numbers: 'number', key: responseKey });
  return { template: isRecord(template) ? template : {}, unexplained };
}

const toResponses = (calls: readonly Call[]): PaymentResponse[] =>
  calls.map(({ response }) => ({ response, known: {} }));

/** Learns the fields beside `data` of single operations that are not those of all responses. */
function learnBeside(traffic: Traffic, envelope: Envelope): Part {
  const { creates, reads } = listPayments(traffic);
  const operations: {
    readonly [Name in Exclude<keyof BesideTemplates, 'all'>]: readonly PaymentResponse[];
  } = {
    createQuote: toResponses(traffic.quotes),
    createPayment: creates,
    getPayment: reads,
    getBalance: toResponses(traffic.balances),
  };
  const unexplained: string[] = [];
  const value = Object.entries(operations).flatMap(([operation, responses]) => {
    if (responses.length < MIN_SAMPLES) return [];
    const samples = responses.map(({ response, known }) => {
      const { path: _, target: __, ...values } = readResponse(response);
      // A link to a payment has its id, rather than the path of the request.
      // Its times are those of the response.
      const ofPayment = Object.entries(known).filter(([, { kind }]) => kind !== 'time');
      return {
        json: listBeside(response.body),
        known: { ...Object.fromEntries(ofPayment), ...values },
      };
    });
    const result = learnTemplate(samples, { ...traffic.forms, key: responseKey });
    const own = Object.entries(result.template as ObjectTemplate).filter(
      ([name]) => !isSameJson(toRecord(result.template)[name], envelope.template[name]),
    );
    unexplained.push(...result.unexplained.filter((name) => own.some(([each]) => each === name)));
    return own.length > 0 ? [[operation, Object.fromEntries(own)] as const] : [];
  });
  const shown = value.map(([name, template]) => `${name}: ${namesOf(template)}`);
  return learned('beside.*', Object.fromEntries(value), shown.join('; ') || 'no other fields', unexplained);
}

/** Compares balances with the documented fields. */
function evaluateBalances({ balances, forms }: Traffic): Part {
  const responses = balances.map(({ response }) => response);
  const listed = responses.map(({ data }) => listEntries(data));
  const entries = listed.flat();
  if (entries.length === 0) return unknown('balanceShape', 'no balance was read');
  const names = new Set(
    [...responses, ...entries.map((data) => ({ data }))].flatMap(({ data }) => Object.keys(data)),
  );
  const evidence = `fields: ${[...names].join(', ')}`;
  const isDocumented =
    ['balances', 'currency', 'balance'].every((name) => names.delete(name)) && names.size === 0;
  if (isDocumented) return found('balanceShape', 'documented', evidence);
  const samples = responses.map((response) => ({
    json: response.data,
    known: readResponse(response),
    wallets: listWallets(response.data),
  }));
  const { template, unexplained } = learnTemplate(samples, { ...forms, key: { name: 'currency' } });
  const text = JSON.stringify(template);
  // Only the sum with the balance shows of which amounts it consists.
  const unproven = text.includes('{open') && !text.includes('{total') ? ['what open payments add'] : [];
  return learned('balanceShape', template, evidence, [...unexplained, ...unproven]);
}

function listEntries({ balances }: JsonObject): JsonObject[] {
  return Array.isArray(balances) ? balances.map(toRecord) : [];
}

/** Returns the wallets of a response with their values. */
export const listWallets = (data: JsonObject): Wallet[] => listEntries(data).map(readEntry);

/** Reads the values of a wallet: its balance, and the amounts that its other fields name. */
function readEntry(entry: JsonObject): Wallet {
  const find = (name: RegExp): bigint | undefined => {
    const [, value] = Object.entries(entry).find(([key]) => name.test(key)) ?? [];
    return listLeaves(value).flatMap(([, leaf]) => toMicro(leaf) ?? [])[0];
  };
  const [balance, open] = [find(/^balance$/), find(/pending|^open|outstanding|in_?transit/i)];
  const amounts = {
    balance,
    available: find(/^available/),
    reserved: find(/reserved|held|hold|blocked/),
    open,
    total: balance !== undefined && open !== undefined ? balance + open : undefined,
  };
  const known = Object.entries(amounts).flatMap(([name, micro]): [string, Known][] =>
    micro === undefined ? [] : [[name, { kind: 'amount', micro }]],
  );
  return {
    currency: String(entry.currency),
    known: { currency: textOf(entry.currency), ...Object.fromEntries(known) },
  };
}
