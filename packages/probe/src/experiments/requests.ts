import { isRecord, type JsonObject, type Profile, toMicro, toRecord } from '@service/internal';
import { findLackingAmount } from '../balances.ts';
import {
  createTestPayment,
  type Experiment,
  type ProbeContext,
  requestQuote,
  requireData,
  requireQuote,
} from '../context.ts';
import { explainInconclusive, type Finding, found, other, type ProfileSetting, unknown } from '../finding.ts';
import { describeResponse, formatValue, isRefusal, type RawResponse } from '../raw-client.ts';
import { createUnknownKey } from './access.ts';

/** The experiments about request validation. They request quotes only, which have no side effects. */
export const requests: readonly Experiment[] = [
  { settings: ['quoteStatus', 'numbers'], run: probeQuote },
  { settings: ['malformedBody', 'bodyChecked'], run: probeMalformedBody },
  { settings: ['sameCurrency'], run: probeSameCurrency },
  { settings: ['currencyCase'], run: probeCurrencyCase },
  { settings: ['unknownFields'], run: probeUnknownField },
  { settings: ['excessPrecision'], run: probeExcessPrecision },
];

async function probeQuote(context: ProbeContext): Promise<Finding[]> {
  const response = await requestQuote(context);
  const data = requireData(response, 'POST /quotes');
  const { status } = response;
  const isKnown = status === 200 || status === 201;
  const evidence = `POST /quotes: ${status}`;
  const quotes = [data];
  for (const amount of INEXACT_AMOUNTS) {
    const quote = await requestQuote(context, { amount });
    if (quote.accepted) quotes.push(quote.data);
  }
  return [
    isKnown ? found('quoteStatus', status, evidence) : other('quoteStatus', evidence),
    evaluateNumbers(quotes),
  ];
}

/** Amounts whose products are not exact in a double, so that float tails appear. */
const INEXACT_AMOUNTS = [29.07, 33.33] as const;

/**
 * Determines the number format of quotes. All numbers must have the same type; only some have a float tail.
 */
export function evaluateNumbers(quotes: readonly JsonObject[]): Finding {
  const figures = quotes.flatMap(({ send_amount, fee, rate, receive_amount }) =>
    Object.entries({ send_amount, fee, rate, receive_amount }),
  );
  const unreadable = figures.find(([, value]) => toMicro(value) === undefined);
  if (unreadable) return other('numbers', formatAmount(unreadable));
  const [first = ['', undefined]] = figures;
  const different = figures.find(([, value]) => typeof value !== typeof first[1]);
  if (different) return other('numbers', `${formatAmount(first)}, ${formatAmount(different)}`);
  if (typeof first[1] === 'string') return found('numbers', 'string', formatAmount(first));
  const withTail = figures.find(([, value]) => hasFloatTail(String(value)));
  return withTail
    ? found('numbers', 'floatTail', formatAmount(withTail))
    : found('numbers', 'number', formatAmount(first));
}

function formatAmount([name, value]: [string, unknown]): string {
  return `"${name}": ${formatValue(value)}`;
}

/**
 * Returns true for a number that ends like the rounding error of a double, rather than one with many
 * decimals.
 */
function hasFloatTail(text: string): boolean {
  const digits = text.replace(/^[-0.]+/, '');
  return /e-/.test(text) || (/\.\d{7}/.test(text) && /(0{4}\d{1,3}|9{4}\d{0,3})$/.test(digits));
}

/** Determines the named shape of an error body. */
export async function readErrorShape(context: ProbeContext): Promise<Finding> {
  const response = await requestQuote(context, { amount: 0 });
  return evaluateError(response, 'a quote for 0');
}

/** Determines the form of the response to an invalid request. */
export function evaluateError(response: RawResponse, request: string): Finding {
  const { status, text, body } = response;
  if (status !== 400 && status !== 422)
    return unknown('errorShape', `${request}: ${describeResponse(response)}`);
  if (!isRecord(body)) {
    const evidence = `${request}: ${status} ${text.slice(0, 60).replaceAll(/\s+/g, ' ')}`;
    return /^\s*</.test(text) ? found('errorShape', 'html', evidence) : other('errorShape', evidence);
  }
  const evidence = `${request}: ${status} with the fields ${listFields(body).join(', ') || 'none'}`;
  const { error, message, success, mode: _, ...others } = body;
  const { type, message: inner, ...otherErrorFields } = toRecord(error);
  const hasTypeAndMessage = typeof type === 'string' && typeof inner === 'string';
  const isBare = error === undefined && typeof message === 'string' && Object.keys(others).length === 0;
  if (isBare) return found('errorShape', 'bare', evidence);
  if (!hasTypeAndMessage || success !== false || Object.keys(others).length > 0 || message !== undefined)
    return other('errorShape', evidence);
  const names = Object.keys(otherErrorFields).toSorted().join(' ');
  if (names === 'fields status') return found('errorShape', 'extra', evidence);
  return names === '' ? found('errorShape', 'envelope', evidence) : other('errorShape', evidence);
}

/** Returns the names of the fields of an error body, with those in its `error`. */
function listFields(body: JsonObject): string[] {
  return Object.entries(body).flatMap(([name, value]) =>
    name === 'error' && isRecord(value) ? Object.keys(value).map((inner) => `error.${inner}`) : name,
  );
}

async function probeMalformedBody(context: ProbeContext): Promise<Finding[]> {
  const response = await context.send('/quotes', { raw: '{' });
  const empty = await context.send('/quotes', { body: {} });
  await requireQuote(context);
  const evidence = `a body that is not JSON: ${describeResponse(response)}`;
  const { status } = response;
  const order = await probeBodyCheck(context, response);
  if (isRefusal(response) && status === empty.status && response.text === empty.text)
    return [found('malformedBody', 'empty', `${evidence}, the same as an empty object`), order];
  const isKnown = status === 400 || status === 422;
  return [isKnown ? found('malformedBody', status, evidence) : other('malformedBody', evidence), order];
}

/** Determines whether a malformed body is refused before an unknown key, as with a valid one. */
async function probeBodyCheck({ send }: ProbeContext, { status }: RawResponse): Promise<Finding> {
  const headers = { authorization: `Bearer ${createUnknownKey()}` };
  const response = await send('/quotes', { raw: '{', headers });
  const evidence = `a body that is not JSON with an unknown key: ${describeResponse(response)}`;
  if (response.status === 401) return found('bodyChecked', 'afterKey', evidence);
  return isRefusal(response) && response.status === status
    ? found('bodyChecked', 'beforeKey', evidence)
    : other('bodyChecked', evidence);
}

async function probeSameCurrency(context: ProbeContext): Promise<Finding[]> {
  const { from } = context.plan;
  const response = await requestQuote(context, { to_currency: from });
  const request = `${from} to ${from}`;
  if (response.accepted) return [found('sameCurrency', 'allow', `${request}: ${describeResponse(response)}`)];
  return [await evaluateRejection(context, response, { setting: 'sameCurrency', value: 'reject', request })];
}

async function probeCurrencyCase(context: ProbeContext): Promise<Finding[]> {
  const { from } = context.plan;
  const response = await requestQuote(context, { from_currency: from.toLowerCase() });
  const request = 'a currency in lower case';
  if (!response.accepted)
    return [
      await evaluateRejection(context, response, { setting: 'currencyCase', value: 'strict', request }),
    ];
  const { from_currency } = response.data;
  const evidence = `${request}: "from_currency": ${formatValue(from_currency)}`;
  return [
    from_currency === from ? found('currencyCase', 'normalise', evidence) : other('currencyCase', evidence),
  ];
}

async function probeUnknownField(context: ProbeContext): Promise<Finding[]> {
  const response = await requestQuote(context, { no_such_field: 1 });
  const request = 'an unknown field';
  if (response.accepted)
    return [found('unknownFields', 'ignore', `${request}: ${describeResponse(response)}`)];
  return [await evaluateRejection(context, response, { setting: 'unknownFields', value: 'reject', request })];
}

const twoDecimals = { amount: 10.01 } as const;

async function probeExcessPrecision(context: ProbeContext): Promise<Finding[]> {
  const response = await requestQuote(context, { amount: 10.009 });
  const request = 'an amount of 10.009';
  const rejection = { setting: 'excessPrecision', value: 'reject', request, control: twoDecimals } as const;
  if (!response.accepted) return [await evaluateRejection(context, response, rejection)];
  const { send_amount } = response.data;
  const evidence = `${request}: "send_amount": ${formatValue(send_amount)}`;
  const micro = toMicro(send_amount);
  if (micro === 10_010_000n) return [await checkPayments(context, 'round', evidence)];
  if (micro !== 10_000_000n) return [other('excessPrecision', evidence)];
  const plain = await requireQuote(context, twoDecimals);
  return [
    toMicro(plain.send_amount) === 10_010_000n
      ? await checkPayments(context, 'truncate', evidence)
      : unknown('excessPrecision', `${context.plan.from} has fewer than two decimals`),
  ];
}

/** Returns the value for a service that accepts more decimals in quotes, and accepts or rejects them in payments. */
async function checkPayments(
  context: ProbeContext,
  value: 'round' | 'truncate',
  evidence: string,
): Promise<Finding> {
  if (!context.plan.payments) return found('excessPrecision', value, evidence);
  // A service that accepts an amount of more than the balance rejects it for lack of funds, so there is no payment.
  let lacking: number;
  try {
    lacking = await findLackingAmount(context);
  } catch (error) {
    return found('excessPrecision', value, `${evidence}; quotes only: ${explainInconclusive(error)}`);
  }
  const [precise, plain] = [
    await createTestPayment(context, { amount: Number(`${lacking}.009`) }),
    await createTestPayment(context, { amount: Number(`${lacking}.01`) }),
  ];
  const [reason, usual] = [precise, plain].map(describeResponse);
  const compared = `${evidence}; a payment of ${lacking}.009: ${reason}, of ${lacking}.01: ${usual}`;
  const isStrict = isRefusal(precise) && reason !== usual;
  // Without a type of the error, both refusals look alike.
  return !isStrict && usual === String(plain.status)
    ? unknown('excessPrecision', compared, [value, `${value}Quotes`])
    : found('excessPrecision', isStrict ? `${value}Quotes` : value, compared);
}

interface Rejection {
  readonly setting: ProfileSetting;
  /** The value of the setting if the service rejects the request. */
  readonly value: Profile[ProfileSetting];
  readonly request: string;
  /** Changes to the plain quote that is requested for comparison. */
  readonly control?: object;
}

/**
 * Evaluates a rejected request. It counts only if the plain quote succeeds: otherwise the service rejected
 * something else.
 */
async function evaluateRejection(
  context: ProbeContext,
  response: RawResponse,
  { setting, value, request, control }: Rejection,
): Promise<Finding> {
  await requireQuote(context, control);
  const evidence = `${request}: ${describeResponse(response)}`;
  return isRefusal(response) ? { setting, state: 'found', value, evidence } : other(setting, evidence);
}
