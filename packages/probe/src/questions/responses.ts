// Statuses of success and the forms of values and headers.
import { namedTimestamps, toMicro, toRecord } from '@service/internal';
import type { Call } from '../call.ts';
import { describeResponse, formatValue } from '../response.ts';
import { type Question, repeated, type Step } from '../question.ts';
import { quote, quoteEach } from '../run.ts';
import type { Payment, Seen } from '../seen.ts';
import { readTimestampForm } from '../time.ts';
import { followPayments } from '../follow.ts';

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
  const given = (name: string): boolean => create.sent[name] !== undefined;
  return [create, ...reads.slice(0, 1)].flatMap(({ response, operation }) => {
    if (!response.accepted) return [];
    const { purpose, beneficiary } = response.data;
    const { bank, account, country } = toRecord(beneficiary);
    const fields = Object.entries({
      purpose,
      beneficiary_bank: bank,
      beneficiary_account: account,
      beneficiary_country: country,
    });
    return fields.flatMap(([name, value]) =>
      given(name) ? [] : [{ place: `${name} of ${operation} ${String(create.sent.amount)}`, value }],
    );
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

/** Amounts of responses: `text` of a number as it was received is unknown, so a float tail is that of the parsed value. */
const listFigures = ({ response }: Call): [string, unknown][] => {
  const { send_amount, fee, rate, receive_amount, balances } = response.data;
  const wallets = (Array.isArray(balances) ? balances : []).map(
    (one) => ['balance', toRecord(one).balance] as [string, unknown],
  );
  const figures = Object.entries({ send_amount, fee, rate, receive_amount }).filter(
    ([, value]) => value !== undefined,
  );
  return [...figures, ...wallets];
};

/** The figures of the first quotes, and those of the others and of payments and balances. */
function halveFigures(seen: Seen): (readonly [string, unknown][])[] {
  const quoted = succeeded(seen, 'createQuote');
  const calls = [...quoted, ...succeeded(seen, 'createPayment'), ...succeeded(seen, 'getBalance')];
  const half = Math.ceil(quoted.length / 2);
  return [calls.slice(0, half), calls.slice(half)]
    .map((own) => own.flatMap(listFigures))
    .filter((own) => own.length > 0);
}

const numbers = repeated<readonly [string, unknown][]>({
  setting: 'numbers',
  ask: quotes,
  request: 'quotes',
  second: 'a second quote, and a balance or a payment',
  list: halveFigures,
  keyOf: (_, index) => index,
  show: (figures) => {
    const kindsOf = (isRate: boolean): string[] => [
      ...new Set(figures.flatMap(([name, value]) => ((name === 'rate') === isRate ? [typeof value] : []))),
    ];
    const [kinds, rates] = [kindsOf(false), kindsOf(true)];
    const unreadable = figures.find(([, value]) => toMicro(value) === undefined);
    const tail = figures.find(([, value]) => hasFloatTail(String(value)));
    const [name, shown] = unreadable ?? tail ?? figures[0] ?? [];
    const text = `"${name}": ${formatValue(shown)}`;
    if (unreadable || kinds.length > 1 || rates.length > 1)
      return { text: `${text}, ${[...kinds, ...rates].join(' and ')}` };
    const hasOtherRate = rates.length > 0 && rates[0] !== kinds[0];
    if (kinds[0] === 'string') return { text, value: hasOtherRate ? 'numberRate' : 'string' };
    return { text, value: hasOtherRate ? 'stringRate' : tail ? 'floatTail' : 'number' };
  },
});

/** The times of payments and events. Trailing zeros of a fraction can be left out by chance. */
function listTimes({ payments, deliveries }: Seen): Place[] {
  const ofPayments = payments.flatMap(({ create, reads }) => {
    const accepted = reads.filter(({ response }) => response.accepted);
    return [create, ...accepted.slice(0, 1), ...accepted.slice(-1)].map(({ operation, response }) => ({
      place: `${operation}`,
      value: response.data.created_at,
    }));
  });
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
    const named = Object.entries(namedTimestamps).find(
      ([, one]) => JSON.stringify(one) === JSON.stringify(form),
    );
    return form === undefined ? { text } : { text, value: named?.[0] ?? form };
  },
});

export const responseQuestions: readonly Question[] = [
  status('createQuote', quotes, [200, 201], (seen) => succeeded(seen, 'createQuote')),
  { ...createdStatus, read: (seen) => findLackOfFunds(seen) ?? createdStatus.read(seen) },
  absent,
  numbers,
  timestamps,
];
