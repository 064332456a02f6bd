// Statuses of success and the forms of values and headers.
import { namedTimestamps, toMicro, toRecord } from '@service/internal';
import type { Call } from '../call.ts';
import { listLeaves } from '../refused.ts';
import { describeResponse, formatValue } from '../response.ts';
import { type Question, repeated, sortOut, type Step } from '../question.ts';
import { quote, quoteEach } from '../run.ts';
import type { Payment, Seen } from '../seen.ts';
import { readTimestampForm } from '../time.ts';
import { followPayments } from '../follow.ts';
import { findUsual } from '../usual.ts';

/** Amounts whose products are not exact in a double, so that float tails appear. */
const ODD_AMOUNTS = [2907n, 3333n, 7777n, 123_419n];

export const quotes: Step = {
  subject: 'quotes',
  send: async (run) => {
    await run.send('/balance');
    // A new account has no failed payments.
    await run.send('/transactions?per_page=5&status=failed', { label: 'pagination.empty' });
    await quote(run, {});
    await quoteEach(run, run.plan.from, run.plan.to, ODD_AMOUNTS);
    await quoteEach(run, run.plan.to, run.plan.from, [1000n, 2907n]);
    await run.send('/balance');
  },
};

const succeeded = (seen: Seen, operation: Call['operation']): Call[] =>
  seen.calls.filter((call) => call.operation === operation && call.response.accepted);

const status = (
  part: string,
  ask: Step,
  values: readonly number[],
  list: (seen: Seen) => readonly Call[],
): Question =>
  repeated<Call>({
    setting: `successStatus.${part}`,
    ask,
    list,
    request: part === 'createQuote' ? 'two quotes' : 'two payments',
    show: ({ response, sent }) => {
      const text = `${response.status} for ${String(sent.amount)} ${String(sent.from_currency)}`;
      return values.includes(response.status) ? { text, value: response.status } : { text };
    },
  });

const createdStatus = status('createPayment', followPayments, [200, 201, 202], (seen) =>
  seen.payments.map(({ create }) => create),
);

/** What to do about payments that were all refused for lack of funds. */
function findLackOfFunds(seen: Seen): { readonly unknown: string } | undefined {
  const creates = seen.of('payments').filter(({ operation }) => operation === 'createPayment');
  const shown = creates.map(({ response }) => describeResponse(response));
  if (shown.length === 0 || !shown.every((text) => text.endsWith('insufficient_funds'))) return undefined;
  return {
    unknown: `the service responded to POST /payments with ${shown[0]}; add funds to the wallet of --from, or lower --amount`,
  };
}

/** A value of a response, and where it is. */
interface Place {
  readonly place: string;
  readonly value: unknown;
}

/** The fields of a payment that its request did not supply. */
function listAbsent({ create, reads }: Payment): Place[] {
  return [create, ...reads.slice(0, 1)].flatMap(({ response, operation }) => {
    if (!response.accepted) return [];
    const { bank, account, country } = toRecord(response.data.beneficiary);
    const fields = Object.entries({
      purpose: response.data.purpose,
      beneficiary_bank: bank,
      beneficiary_account: account,
      beneficiary_country: country,
    });
    return fields
      .filter(([name]) => create.sent[name] === undefined)
      .map(([name, value]) => ({ place: `${name} of ${operation} ${String(create.sent.amount)}`, value }));
  });
}

const absent = repeated<Place>({
  setting: 'absent',
  ask: followPayments,
  list: ({ payments }) => payments.flatMap(listAbsent),
  request: 'payments without optional fields',
  show: ({ place, value }) => {
    const text = `${place}: ${formatValue(value)}`;
    const name = value === undefined ? 'omit' : value === '' ? 'empty' : value === null ? 'null' : undefined;
    return name === undefined ? { text } : { text, value: name };
  },
});

/** Returns the form of absent texts. */
export function readAbsent(seen: Seen): unknown {
  const reading = absent.read(seen);
  return typeof reading === 'object' && 'value' in reading ? reading.value : undefined;
}

/** Returns whether a number ends like the rounding error of a double. */
function hasFloatTail(text: string): boolean {
  const digits = text.replace(/^[-0.]+/, '');
  return /e-/.test(text) || (/\.\d{7}/.test(text) && /(0{4}\d{1,3}|9{4}\d{0,3})$/.test(digits));
}

/** A number of a response: the text as it was received is unknown, so a float tail is that of the parsed value. */
type Figure = readonly [path: string, value: unknown];

const figurePath = /^(?:send_amount|fee|rate|receive_amount|balances\.\d+\.balance)$/;

/** The figures of all responses. */
const listFigures = (seen: Seen): Figure[] =>
  (['createQuote', 'createPayment', 'getBalance'] as const)
    .flatMap((operation) => succeeded(seen, operation))
    .flatMap(({ response }) => listLeaves(response.data))
    .filter(([path]) => figurePath.test(path));

const isRate = ([path]: Figure): boolean => path === 'rate';
const kindOf = ([, value]: Figure): string => (toMicro(value) === undefined ? 'none' : typeof value);
const writeFigure = ([path, value]: Figure): string => `"${path}": ${formatValue(value)}`;

/** The forms of most amounts and of most rates. */
function readKinds(figures: readonly Figure[]) {
  const [amount, rate = amount] = [false, true].map((isOfRate) => {
    const kinds = figures.filter((one) => isRate(one) === isOfRate).map(kindOf);
    return findUsual(kinds, (kind) => kind);
  });
  return { amount, rate };
}

const numbers: Question = {
  setting: 'numbers',
  ask: quotes,
  second: 'a second quote, and a balance or a payment',
  read: (seen) => {
    const all = listFigures(seen);
    const [first] = all;
    const { amount, rate } = readKinds(all);
    if (first === undefined) return { unknown: 'nothing shows it: send quotes' };
    if (amount === 'none' || rate === 'none') return { other: writeFigure(first) };
    const tail = all.find(([, value]) => hasFloatTail(String(value)));
    const ofText = rate === 'string' ? 'string' : 'numberRate';
    const ofNumber = rate === 'string' ? 'stringRate' : tail ? 'floatTail' : 'number';
    return { value: amount === 'string' ? ofText : ofNumber, evidence: writeFigure(tail ?? first) };
  },
  proves: (seen) => {
    const all = listFigures(seen);
    const { amount, rate } = readKinds(all);
    const isUsual = (one: Figure): boolean => kindOf(one) === (isRate(one) ? rate : amount);
    const { agree, against } = sortOut(all, isUsual, writeFigure);
    // The four figures of one response are one observation.
    return { agree: agree.slice(4), against };
  },
};

/** The times of payments and events. Trailing zeros of a fraction can be left out by chance. */
function listTimes({ payments, deliveries }: Seen): Place[] {
  const ofPayments = payments
    .flatMap(({ create, reads }) => [create, ...reads.filter(({ response }) => response.accepted).slice(-1)])
    .map(({ operation, response }) => ({ place: `${operation}`, value: response.data.created_at }));
  return [...ofPayments, ...deliveries.map(({ body }) => ({ place: 'a webhook', value: body.created_at }))];
}

const timestamps = repeated<Place>({
  setting: 'timestamps',
  ask: followPayments,
  list: listTimes,
  request: 'two payments',
  show: ({ place, value }) => {
    const form = readTimestampForm(value);
    const text = `created_at of ${place}: ${formatValue(value)}`;
    const json = JSON.stringify(form);
    const named = Object.entries(namedTimestamps).find(([, one]) => JSON.stringify(one) === json);
    return form === undefined ? { text } : { text, value: named?.[0] ?? form };
  },
});

export const responseQuestions: readonly Question[] = [
  status('createQuote', quotes, [200, 201], (seen) => succeeded(seen, 'createQuote')),
  { ...createdStatus, read: (seen) => findLackOfFunds(seen) ?? createdStatus.read(seen) },
  absent,
  numbers,
  // Webhooks, of which there are more, only prove it.
  { ...timestamps, read: (seen) => timestamps.read({ ...seen, deliveries: [] }) },
];
