// The requests that the service accepts: amounts, texts, currencies and idempotency keys.
import { CENT, defaultCurrencies, toMicro, toRecord, writeCents } from '@service/internal';
import { type Call, describeCall, listWallets } from '../call.ts';
import { OutOfTime } from '../finding.ts';
import { isRefusal } from '../response.ts';
import {
  choice,
  formChoice,
  provenByPayments,
  type Question,
  type QuestionName,
  repeated,
  sortOut,
  type Step,
  textOf,
} from '../question.ts';
import { bisect, findLackingAmount, idOf, noDecimals, pay, quote, quoteEach, type Run } from '../run.ts';
import { isFormAccepted, isLackingFunds } from '../refused.ts';
import type { Seen } from '../seen.ts';
import { readAbsent } from './responses.ts';

/** The largest amount whose hundredths a double represents. */
const LARGEST = 999_999_999_999_999n;

/** Looks for the smallest and the largest amount of a quote, and asks for the same ones in the reverse direction. */
export const limits: Step = {
  subject: 'the smallest and the largest amount',
  send: async (run) => {
    const { from, to, amount } = run.plan;
    const unit = unitOf(from);
    const accepts = async (cents: bigint): Promise<boolean> =>
      (await quoteEach(run, from, to, [cents], 'amounts.limits')).some(({ response }) => response.accepted);
    const whole = (cents: bigint): bigint => cents - (cents % unit);
    const known = whole(BigInt(Math.round(Number(amount) * 100)));
    if (!(await accepts(known))) return;
    const search = async (outside: bigint): Promise<bigint> =>
      (await accepts(outside)) ? outside : await bisect(outside, known, unit, accepts);
    const [least, most] = [await search(unit), await search(whole(LARGEST))];
    const reverse = unitOf(to);
    const around = [least - reverse, least, most, most + reverse].filter(
      (cents) => cents > 0n && cents % reverse === 0n && cents <= LARGEST,
    );
    await quoteEach(run, to, from, around, 'amounts.limits');
    // Payments can have other limits. Only a small one is created: the other one is above the balance.
    const lacking = (run.plan.payments && (await findLackingAmount(run))) || Infinity;
    const amounts = [least, most].map((cents) => Number(writeCents(cents)));
    for (const size of amounts.filter((each) => run.plan.payments && (each <= 10 || each >= lacking)))
      await pay(run, { amount: size }, { label: 'amounts.limits' });
  },
};

/** The smallest unit of a currency, in hundredths. */
const unitOf = (code: string): bigint => (noDecimals.includes(code) ? 100n : 1n);

/** An amount in hundredths, or the length of a text, that a service was asked to take. */
interface Asked {
  /** Whether it shows the limits. The others prove them. */
  readonly isPlan: boolean;
  readonly size: number;
  readonly isTaken: boolean;
  readonly text: string;
}

const toAsked = (isPlan: boolean, size: number, isTaken: boolean, what: string): Asked => ({
  isPlan,
  size,
  isTaken,
  text: `${what} is ${isTaken ? 'accepted' : 'refused'}`,
});

const listAmounts = (seen: Seen): Asked[] =>
  seen.of('amounts.limits').flatMap((call) => {
    const micro = toMicro(call.sent.amount);
    if (micro === undefined || !(call.response.accepted || isRefusal(call.response))) return [];
    const isPlan = call.operation === 'createQuote' && call.sent.from_currency === seen.facts.from;
    const what = `${writeCents(micro / CENT)} ${String(call.sent.from_currency)}`;
    return [toAsked(isPlan, Number(micro / CENT), isFormAccepted(call, seen), what)];
  });

/** The accepted amount or length at one end. */
const limit = (
  setting: QuestionName,
  ask: Step,
  list: (seen: Seen) => readonly Asked[],
  write: (size: number) => unknown = (cents) => writeCents(BigInt(cents)),
): Question => {
  const isLeast = setting === 'amounts.minimum';
  return {
    setting,
    ask,
    second: 'the same limit in another place',
    read: (seen) => {
      const own = list(seen).filter(({ isPlan }) => isPlan);
      const taken = own.filter(({ isTaken }) => isTaken).toSorted((a, b) => a.size - b.size);
      const found = taken.at(isLeast ? 0 : -1);
      // The search for it can end early.
      const isEnd = own.some(({ isTaken, size }) => !isTaken && Math.abs(size - (found?.size ?? 0)) <= 100);
      if (found === undefined || !(isEnd || found.size <= 100 || found.size >= Number(LARGEST) - 100))
        return { unknown: 'nothing shows it: send the smallest and the largest one' };
      return { value: write(found.size), evidence: found.text };
    },
    proves: (seen, value) => {
      const end = list(seen).find(({ size }) => write(size) === value)?.size ?? 0;
      // An amount that is near to the other end is refused for another reason.
      const others = list(seen).filter(
        ({ isPlan, size }) => !isPlan && (ask !== limits || isLeast === size < 1_000_000),
      );
      const isOutside = ({ size }: Asked): boolean => (isLeast ? size < end : size > end);
      return sortOut(others, (one) => isOutside(one) !== one.isTaken, textOf);
    },
  };
};

export const forms: Step = {
  subject: 'the forms of amounts and currencies',
  send: async (run) => {
    const { from, to, amount } = run.plan;
    const isWhole = noDecimals.includes(from);
    const second = (Number(amount) * 2).toFixed(isWhole ? 0 : 2);
    let isText = false;
    for (const text of [amount, second])
      isText = (await quote(run, { amount: text }, { label: 'amounts.text' })).response.accepted;
    // An amount as text can be read in another way.
    for (const precise of isWhole ? [] : [10.009, 23.456, 31.237, ...(isText ? ['10.009'] : [])])
      await quote(run, { amount: precise }, { label: 'amounts.precision' });
    await quote(run, { from_currency: from.toLowerCase() }, { label: 'currencies.case' });
    await quote(run, { to_currency: to.toLowerCase() }, { label: 'currencies.case' });
    for (const code of [from, to])
      await quote(run, { from_currency: code, to_currency: code }, { label: 'currencies.same' });
    for (const changes of [{ to_currency: 'XXX' }, { from_currency: 'QQQ' }])
      await quote(run, changes, { label: 'refusals.unknown_currency' });
    for (const invalid of [-5, 9_999_999_999_999, undefined, 'ten'])
      await quote(run, { amount: invalid }, { label: 'refusals.validation' });
    await quote(run, { from_currency: 5 }, { label: 'refusals.validation' });
    const lacking = run.plan.payments ? await findLackingAmount(run) : undefined;
    if (lacking === undefined) return;
    await pay(run, { amount: String(lacking) }, { label: 'amounts.text' });
    await pay(run, { amount: lacking, to_currency: to.toLowerCase() }, { label: 'currencies.case' });
    if (!isWhole) await pay(run, { amount: lacking + 0.009 }, { label: 'amounts.precision' });
    for (const changes of [{ beneficiary_name: undefined }, { beneficiary_name: '' }])
      await pay(run, { amount: lacking, ...changes }, { label: 'refusals.validation' });
    await pay(run, { amount: lacking, to_currency: 'XXX' }, { label: 'refusals.unknown_currency' });
  },
};

const precision = choice('amounts.precision', forms, 'quotes of three decimals', (response, call, seen) => {
  const [first] = seen.of('amounts.precision');
  // A payment above the balance shows only whether such an amount is accepted.
  if (isLackingFunds(call, seen)) return first && isRefusal(first.response) ? 'other' : undefined;
  if (!response.accepted) return isRefusal(response) ? 'reject' : 'other';
  const [shown, exact] = [toMicro(response.data.send_amount), toMicro(call.sent.amount) ?? 0n];
  const floor = exact - (exact % CENT);
  return shown === floor + CENT ? 'round' : shown === floor ? 'truncate' : 'other';
});

/** An amount that every usual limit allows, in hundredths. */
const SAMPLES = [100_000n, 2_000n] as const;

/** Returns some currencies of wallets besides those of the plan. */
const listOthers = ({ plan: { from, to }, seen }: Run): string[] =>
  [...new Set(['GBP', 'JPY', 'KWD', ...listWallets(seen().balances[0])])]
    .filter((code) => code !== from && code !== to)
    .slice(0, 5);

export const walletQuotes: Step = {
  subject: 'rates between wallets',
  send: async (run) => {
    const { from, to } = run.plan;
    for (const other of listOthers(run))
      for (const own of [from, to]) {
        await quoteEach(run, own, other, SAMPLES, 'currencies.codes');
        await quoteEach(run, other, own, SAMPLES, 'currencies.codes');
      }
  },
};

export const currencyQuotes: Step = {
  subject: 'currencies',
  send: async (run) => {
    const { from, to } = run.plan;
    const known = new Set([from, ...listOthers(run)]);
    const supported: string[] = [];
    for (const code of new Set([to, ...defaultCurrencies, ...Intl.supportedValuesOf('currency')])) {
      if (known.has(code)) continue;
      // Other questions need the rest of the time.
      if (run.now() > run.after(50)) throw new OutOfTime('the run has no time for more currencies');
      const [call] = await quoteEach(run, from, code, [SAMPLES[0]], 'currencies.codes');
      if (call?.response.accepted) supported.push(code);
    }
    for (const code of supported) {
      await quoteEach(run, from, code, [SAMPLES[1]], 'currencies.codes');
      await quoteEach(run, code, from, SAMPLES, 'currencies.codes');
    }
    const amount = run.plan.payments ? await findLackingAmount(run) : undefined;
    if (amount === undefined) return;
    for (const to_currency of supported) {
      const { response } = await pay(run, { amount, to_currency }, { label: 'currencies.codes' });
      if (response.accepted) return;
    }
  },
};

/** Whether a call is one of the quotes that show the currencies: the others prove them. */
const isFirstOf = ({ sent, operation }: Call, { facts }: Seen): boolean =>
  operation === 'createQuote' &&
  sent.from_currency === facts.from &&
  toMicro(sent.amount) === SAMPLES[0] * CENT;

/** Currencies in the order of the mock's list, so that equal sets are equal texts. */
const codes: Question = {
  setting: 'currencies.codes',
  ask: currencyQuotes,
  second: 'payments above the balance to each currency',
  read: (seen) => {
    const asked = seen.of('currencies.codes').filter((call) => isFirstOf(call, seen));
    const taken = asked.filter(({ response }) => response.accepted);
    const isAsked = (code: string): boolean =>
      code === seen.facts.from || asked.some(({ sent }) => sent.to_currency === code);
    // Some currencies do not show what the others do.
    if (taken.length === 0 || !defaultCurrencies.every(isAsked))
      return { unknown: 'nothing shows it: send quotes to each currency' };
    const all = [...taken.map(({ sent }) => String(sent.to_currency)), seen.facts.from].toSorted();
    const isDefault = JSON.stringify(all) === JSON.stringify(defaultCurrencies.toSorted());
    return {
      value: isDefault ? 'default' : all.join(' '),
      evidence: `${all.length} of ${asked.length + 1} currencies`,
    };
  },
  proves: (seen, value) => {
    const all: readonly unknown[] = value === 'default' ? defaultCurrencies : String(value).split(' ');
    const isKnown = ({ sent }: Call): boolean =>
      [sent.from_currency, sent.to_currency].every((code) => all.includes(code));
    return sortOut(
      seen.of('currencies.codes').filter((call) => !isFirstOf(call, seen)),
      (call) => isFormAccepted(call, seen) === isKnown(call),
      ({ sent, response }) =>
        `${String(sent.from_currency)} to ${String(sent.to_currency)}: ${response.status}`,
    );
  },
};

/** The longest text of a profile. */
const LONGEST_TEXT = 10_000n;
const textFields = ['purpose', 'beneficiary_name', 'beneficiary_bank', 'beneficiary_account'] as const;

/** Long texts and numbers, most of them in payments above the balance, which are not created. */
export const texts: Step = {
  subject: 'texts of payments',
  needs: 'payments',
  send: async (run) => {
    const amount = await findLackingAmount(run);
    if (amount === undefined) return;
    const accepts = async (field: string, length: bigint): Promise<boolean> => {
      const call = await pay(run, { amount, [field]: 'x'.repeat(Number(length)) }, { label: 'texts.limit' });
      return isFormAccepted(call, run.seen());
    };
    const ofPurpose = (length: bigint): Promise<boolean> => accepts('purpose', length);
    if (!(await ofPurpose(LONGEST_TEXT))) {
      const longest = await bisect(LONGEST_TEXT, 1n, 1n, ofPurpose);
      for (const length of [longest, longest + 1n])
        for (const field of textFields.slice(1)) await accepts(field, length);
    }
    for (const field of textFields) await pay(run, { amount, [field]: 5 }, { label: 'texts.number' });
    // A service can check the balance before it checks texts.
    await pay(run, { beneficiary_name: 5 }, { label: 'texts.number' });
    for (const changes of [{ purpose: '' }, { beneficiary_bank: '' }, { beneficiary_account: '' }])
      await pay(run, changes, { label: 'texts.empty' });
  },
};

const listTexts = (seen: Seen): Asked[] =>
  seen.of('texts.limit').map((call) => {
    const field = textFields.find((name) => /^x+$/.test(String(call.sent[name]))) ?? 'purpose';
    const { length } = String(call.sent[field]);
    const isTaken = isFormAccepted(call, seen);
    return toAsked(field === 'purpose', length, isTaken, `${field} of ${length} characters`);
  });

/** An optional text that is empty, in a payment and in its response. */
const emptyText = choice('texts.empty', texts, 'payments with an empty text', (response, { sent }, seen) => {
  if (!response.accepted) return isRefusal(response) ? 'reject' : 'other';
  const { purpose, beneficiary } = response.data;
  const { bank, account } = toRecord(beneficiary);
  const shown = sent.purpose === '' ? purpose : sent.beneficiary_bank === '' ? bank : account;
  // Where an absent text is empty too, nothing tells them apart.
  if (readAbsent(seen) === 'empty') return undefined;
  return shown === '' ? 'keep' : (shown ?? null) === null ? 'absent' : 'other';
});

export const keys: Step = {
  subject: 'idempotency keys',
  needs: 'payments',
  send: async (run) => {
    const amount = Number(run.plan.amount);
    const [first, second] = [{ amount }, { amount: amount + 20, purpose: 'Probe key' }];
    for (const [changes, others] of [
      [first, { amount: amount + 1 }],
      [second, { ...second, purpose: 'Another purpose' }],
    ] as const) {
      const headers = { 'idempotency-key': crypto.randomUUID() };
      const { response } = await pay(run, changes, { headers });
      if (!response.accepted) return;
      for (const sent of [changes, others]) await pay(run, sent, { headers, label: 'idempotency' });
    }
    // Some services treat a payment from a currency to itself in another way.
    await pay(run, { to_currency: run.plan.from });
  },
};

/** The requests of an idempotency key: a create, the same one again, and one with another body. */
interface KeyUse {
  readonly create: Call;
  readonly again: Call;
  readonly changed: Call | undefined;
}

const listKeyUses = ({ calls, payments }: Seen): KeyUse[] =>
  payments.flatMap(({ create }) => {
    const key = create.headers['idempotency-key'];
    const others = calls.filter(
      ({ operation, headers, order }) =>
        operation === 'createPayment' && headers['idempotency-key'] === key && order > create.order,
    );
    const isSame = (call: Call): boolean => JSON.stringify(call.sent) === JSON.stringify(create.sent);
    const again = key === undefined ? undefined : others.find(isSame);
    return again ? [{ create, again, changed: others.find((call) => !isSame(call)) }] : [];
  });

const idempotency = repeated<KeyUse>({
  setting: 'idempotency',
  ask: keys,
  request: 'a payment twice with the same Idempotency-Key, and another one with it',
  list: listKeyUses,
  keyOf: ({ create }) => JSON.stringify(create.sent),
  show: ({ create, again, changed }) => {
    const text = `the same request again: ${describeCall(again)}${changed ? `; another one: ${describeCall(changed)}` : ''}`;
    if ([again, changed].some((call) => (call?.response.status ?? 0) >= 500)) return undefined;
    if (idOf(again) !== undefined && idOf(again) !== idOf(create)) return { text, value: 'ignored' };
    if (idOf(again) === undefined) {
      const isOfKey = again.response.status === 409 || /idempot/i.test(again.response.text);
      return isOfKey ? { text, value: 'conflict' } : { text };
    }
    if (changed && idOf(changed) === idOf(create)) return { text, value: 'replayedAny' };
    // Another payment under the key of the first one is no value of the setting.
    return changed === undefined || idOf(changed) === undefined ? { text, value: 'replayed' } : { text };
  },
});

const replayed = repeated<KeyUse>({
  setting: 'successStatus.replayPayment',
  ask: keys,
  request: 'a payment twice with the same Idempotency-Key, twice',
  list: (seen) => listKeyUses(seen).filter(({ create, again }) => idOf(again) === idOf(create)),
  show: ({ create, again }) => {
    const [first, second] = [create.response.status, again.response.status];
    const text = `created with ${first}, replayed with ${second} for ${String(create.sent.amount)}`;
    return first === second ? { text, value: 'created' } : second === 200 ? { text, value: 200 } : { text };
  },
});

const currencyCase = choice('currencies.case', forms, 'a currency in lower case', (response, call, seen) => {
  const isShown = (name: string): boolean => response.data[name] === String(call.sent[name]).toUpperCase();
  if (response.accepted) return isShown('from_currency') && isShown('to_currency') ? 'normalise' : 'other';
  return isLackingFunds(call, seen) ? 'normalise' : 'strict';
});

export const requestQuestions: readonly Question[] = [
  provenByPayments(codes),
  provenByPayments(currencyCase),
  choice('currencies.same', forms, 'a quote from a currency to itself', (response) => {
    // No profile has another rate between equal currencies.
    if (response.accepted) return Number(response.data.rate ?? 1) === 1 ? 'allow' : 'other';
    return isRefusal(response) ? 'reject' : 'other';
  }),
  formChoice('amounts.text', forms, 'an amount as text', 'accept', 'reject'),
  provenByPayments(precision),
  provenByPayments(limit('amounts.minimum', limits, listAmounts), 'amounts.limits'),
  provenByPayments(limit('amounts.maximum', limits, listAmounts), 'amounts.limits'),
  limit('texts.limit', texts, listTexts, (size) => size),
  emptyText,
  formChoice('texts.number', texts, 'a number as a text', 'accept', 'reject'),
  replayed,
  idempotency,
];
