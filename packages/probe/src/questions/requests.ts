// The requests that the service accepts: amounts, texts, currencies and idempotency keys.
import { CENT, defaultCurrencies, toMicro, toRecord, writeCents } from '@service/internal';
import { type Call, describeCall } from '../call.ts';
import { formatValue, isRefusal } from '../response.ts';
import { choice, type Question, repeated, sortOut, type Step } from '../question.ts';
import { bisect, findLackingAmount, noDecimals, pay, quote, quoteEach } from '../run.ts';
import { isLackingFunds } from '../refused.ts';
import type { Seen } from '../seen.ts';

/** The largest amount of the contract, and the largest one whose hundredths a double represents. */
const [USUAL, LARGEST] = [99_999_999_999n, 999_999_999_999_999n];

/** Looks for the smallest and the largest amount of a quote, and asks for the same ones in the reverse direction. */
export const limits: Step = {
  subject: 'the smallest and the largest amount',
  send: async (run) => {
    const { from, to, amount } = run.plan;
    const unit = noDecimals.includes(from) ? 100n : 1n;
    const accepts = async (cents: bigint): Promise<boolean> =>
      (await quoteEach(run, from, to, [cents], 'amounts.limits')).some(({ response }) => response.accepted);
    const whole = (cents: bigint): bigint => cents - (cents % unit);
    const known = whole(BigInt(Math.round(Number(amount) * 100)));
    if (!(await accepts(known))) return;
    const least = (await accepts(unit)) ? unit : await bisect(unit, known, { accepts, unit });
    const [usual, largest] = [whole(USUAL), whole(LARGEST)];
    const isUsual = await accepts(usual);
    let most = usual;
    if (!isUsual) most = await bisect(usual, known, { accepts, unit });
    else if (await accepts(usual + unit))
      most = (await accepts(largest)) ? largest : await bisect(largest, usual + unit, { accepts, unit });
    const reverse = noDecimals.includes(to) ? 100n : 1n;
    const around = [least - reverse, least, most, most + reverse].filter(
      (cents) => cents > 0n && cents % reverse === 0n && cents <= LARGEST,
    );
    await quoteEach(run, to, from, around, 'amounts.limits');
    // Payments can have other limits than quotes. Only the smallest one is created.
    const lacking = run.plan.payments ? await findLackingAmount(run) : undefined;
    if (lacking === undefined) return;
    for (const cents of [least - unit, ...(least <= 1_000n ? [least] : [])])
      if (cents > 0n) await pay(run, { amount: Number(writeCents(cents)) }, { label: 'amounts.limits' });
    for (const cents of [most, most + unit])
      if (cents > BigInt(lacking) * 100n && cents <= LARGEST)
        await pay(run, { amount: Number(writeCents(cents)) }, { label: 'amounts.limits' });
  },
};

interface Asked {
  readonly place: string;
  readonly cents: bigint;
  readonly isTaken: boolean;
}

/** Returns the amounts that were asked in the direction of the plan, or in other places. */
function listAsked(seen: Seen, isPlain: boolean): Asked[] {
  const { from } = seen.facts;
  return seen.calls.flatMap((call) => {
    const { operation, sent, response } = call;
    const micro = typeof sent.amount === 'number' ? toMicro(sent.amount) : undefined;
    const isOrder = operation === 'createQuote' || operation === 'createPayment';
    if (!isOrder || micro === undefined || micro % CENT !== 0n || micro < 0n) return [];
    const isDirect = operation === 'createQuote' && sent.from_currency === from;
    const isTaken = response.accepted || isLackingFunds(call, seen);
    const isOther = !isTaken && call.label !== 'amounts.limits';
    if (isDirect !== isPlain || isOther || !(isTaken || isRefusal(response))) return [];
    return [{ place: `${operation} from ${String(sent.from_currency)}`, cents: micro / CENT, isTaken }];
  });
}

/** Returns the accepted amount at one end. Undefined unless the amount beside it was refused. */
function findLimit(asked: readonly Asked[], end: 'minimum' | 'maximum'): bigint | undefined {
  const taken = asked.filter(({ isTaken }) => isTaken).map(({ cents }) => cents);
  const limit = taken.toSorted((a, b) => Number(a - b)).at(end === 'minimum' ? 0 : -1);
  if (limit === undefined) return undefined;
  const beside = end === 'minimum' ? [limit - 1n, limit - 100n] : [limit + 1n, limit + 100n];
  const isEnd = end === 'minimum' ? limit === 1n || limit === 100n : limit >= LARGEST - 100n;
  return isEnd || asked.some(({ cents, isTaken }) => !isTaken && beside.includes(cents)) ? limit : undefined;
}

const limit = (end: 'minimum' | 'maximum'): Question => ({
  setting: `amounts.${end}`,
  ask: limits,
  second: 'the same limit in another currency, or of payments',
  read: (seen) => {
    const found = findLimit(listAsked(seen, true), end);
    if (found === undefined)
      return {
        unknown: `send quotes for the ${end === 'minimum' ? 'smallest' : 'largest'} amount and the one beside it`,
      };
    return {
      value: writeCents(found),
      evidence: `${writeCents(found)} ${seen.facts.from} is accepted, and ${end === 'minimum' ? 'no smaller' : 'no larger'} amount`,
    };
  },
  proves: (seen, value) => {
    const cents = (toMicro(value) ?? 0n) / CENT;
    const isOutside = (one: Asked): boolean => (end === 'minimum' ? one.cents < cents : one.cents > cents);
    const isNear = (one: Asked): boolean => one.cents === cents || (one.cents - cents) ** 2n <= 10_000n;
    const near = listAsked(seen, false).filter(isNear);
    const others = listAsked(seen, false).filter((one) =>
      isOutside(one) ? one.isTaken : !one.isTaken && isBelow(one, end),
    );
    // A currency without decimals has whole amounts.
    const against = others.filter(
      ({ place, cents: at }) => !(noDecimals.some((code) => place.endsWith(code)) && at % 100n !== 0n),
    );
    return {
      agree: near.filter((one) => isOutside(one) !== one.isTaken).map(writeAsked),
      against: against.map(writeAsked),
    };
  },
});

const writeAsked = ({ place, cents, isTaken }: Asked): string =>
  `${place}: ${writeCents(cents)} is ${isTaken ? 'accepted' : 'refused'}`;
const writePrecise = (call: Call): string =>
  `${String(call.sent.amount)}: ${describeCall(call)} ${formatValue(call.response.data.send_amount)}`;
const writePair = ({ sent, response }: Call): string =>
  `${String(sent.from_currency)} to ${String(sent.to_currency)}: ${response.status}`;
const writeText = ({ field, length, isTaken }: TextAsked): string =>
  `${field} of ${length} characters is ${isTaken ? 'accepted' : 'refused'}`;

/** Returns whether a refused amount is near enough to this end that the other limit cannot be the reason. */
function isBelow({ cents }: Asked, end: 'minimum' | 'maximum'): boolean {
  return end === 'minimum' ? cents < 1_000_000n : cents >= 1_000_000n;
}

export const forms: Step = {
  subject: 'the forms of amounts and currencies',
  send: async (run) => {
    const { from, to, amount } = run.plan;
    const isWhole = noDecimals.includes(from);
    const second = (Number(amount) * 2).toFixed(isWhole ? 0 : 2);
    for (const text of [amount, second]) await quote(run, { amount: text }, { label: 'amounts.text' });
    if (!isWhole)
      for (const precise of [10.009, 23.456, 31.237])
        await quote(run, { amount: precise }, { label: 'amounts.precision' });
    await quote(run, { from_currency: from.toLowerCase() }, { label: 'currencies.case' });
    await quote(run, { to_currency: to.toLowerCase() }, { label: 'currencies.case' });
    for (const code of [from, to])
      await quote(run, { from_currency: code, to_currency: code }, { label: 'currencies.same' });
    const invalid: object[] = [
      { to_currency: 'XXX' },
      { amount: -5 },
      { amount: undefined },
      { to_currency: undefined },
      { amount: null },
      { amount: 0 },
      { amount: 'ten' },
      { to_currency: 'EURO' },
      { from_currency: 5 },
    ];
    for (const changes of invalid) await quote(run, changes, { label: 'refusals.validation' });
    const lacking = run.plan.payments ? await findLackingAmount(run) : undefined;
    if (lacking === undefined) return;
    await pay(run, { amount: String(lacking) }, { label: 'amounts.text' });
    if (!isWhole) await pay(run, { amount: lacking + 0.009 }, { label: 'amounts.precision' });
    for (const changes of [
      { beneficiary_name: undefined },
      { beneficiary_name: null },
      { beneficiary_name: '' },
      { to_currency: 'XXX' },
    ])
      await pay(run, { amount: lacking, ...changes }, { label: 'refusals.validation' });
  },
};

/** Quotes and payments treat an amount with more decimals alike, or only quotes accept it. */
const precision: Question = {
  setting: 'amounts.precision',
  ask: forms,
  second: 'a second amount, and a payment above the balance, with three decimals',
  read: (seen) => {
    const [call] = ofPrecision(seen, 'createQuote');
    if (call === undefined)
      return { unknown: 'nothing shows it: send a quote for an amount with three decimals' };
    const rule = readPrecision(call);
    if (rule === undefined) return { other: describeCall(call) };
    const payments = ofPrecision(seen, 'createPayment');
    const isOfQuotes =
      rule !== 'reject' && payments.some((one) => !one.response.accepted && !isLackingFunds(one, seen));
    return {
      value: isOfQuotes ? `${rule}Quotes` : rule,
      evidence: `${String(call.sent.amount)}: ${describeCall(call)}`,
      missing: payments.length === 0 && rule !== 'reject' ? ['payments were not asked'] : [],
    };
  },
  proves: (seen, value) => {
    const others = ofPrecision(seen, 'createQuote').slice(1);
    const agrees = (call: Call): boolean => readPrecision(call) === String(value).replace('Quotes', '');
    const payments = ofPrecision(seen, 'createPayment').filter((call) => {
      const isTaken = call.response.accepted || isLackingFunds(call, seen);
      return isTaken !== /^(?:round|truncate)$/.test(String(value));
    });
    return {
      agree: others.filter(agrees).map(writePrecise),
      against: [...others.filter((call) => !agrees(call)), ...payments].map(writePrecise),
    };
  },
};

const ofPrecision = (seen: Seen, operation: Call['operation']): Call[] =>
  seen.of('amounts.precision').filter((call) => call.operation === operation && call.response.status < 500);

function readPrecision({ response, sent }: Call): 'reject' | 'round' | 'truncate' | undefined {
  if (!response.accepted) return isRefusal(response) ? 'reject' : undefined;
  const [shown, exact] = [toMicro(response.data.send_amount), toMicro(sent.amount)];
  if (shown === undefined || exact === undefined || shown % CENT !== 0n) return undefined;
  const floor = exact - (exact % CENT);
  return shown === floor + CENT ? 'round' : shown === floor ? 'truncate' : undefined;
}

/** The currencies of ISO 4217 that the mock does not have. */
const otherCodes = (
  'AFN ALL AMD AOA ARS AWG AZN BAM BBD BGN BIF BMD BND BOB BSD BTN BWP BYN BZD CDF CRC CUP CVE DJF DOP DZD ERN ETB FJD FKP ' +
  'GEL GIP GMD GNF GTQ GYD HNL HTG IQD IRR ISK JMD JOD KGS KHR KMF KPW KYD KZT LAK LBP LKR LRD LSL LYD MDL MGA MKD MMK MNT ' +
  'MOP MRU MUR MVR MWK MZN NAD NIO NPR OMR PAB PEN PGK PYG QAR RSD RUB RWF SBD SCR SDG SHP SLE SOS SRD SSP STN SVC SYP SZL ' +
  'TJS TMT TND TOP TTD TZS UAH UYU UZS VES VUV WST XAF XCD XPF YER ZMW ZWG'
).split(' ');
/** An amount that every usual limit allows, in hundredths. */
const SAMPLES = [100_000n, 2_000n] as const;

export const currencyQuotes: Step = {
  subject: 'currencies',
  send: async (run) => {
    const { from, to } = run.plan;
    const supported: string[] = [];
    for (const code of [...defaultCurrencies, ...otherCodes]) {
      if (code === from) continue;
      const [call] = await quoteEach(run, from, code, [SAMPLES[0]], 'currencies.codes');
      if (call?.response.accepted) supported.push(code);
    }
    for (const code of supported) {
      await quoteEach(run, from, code, [SAMPLES[1]], 'currencies.codes');
      await quoteEach(run, code, from, SAMPLES, 'currencies.codes');
    }
    const wallets = listWallets(run.seen()).filter((code) => code !== from);
    const funded = [...new Set([to, ...wallets, ...supported])]
      .filter((code) => code !== from && supported.includes(code))
      .slice(0, Math.min(4, Math.max(2, wallets.length)));
    for (const source of funded)
      for (const target of funded)
        if (source !== target) await quoteEach(run, source, target, SAMPLES, 'currencies.codes');
    const amount = run.plan.payments ? await findLackingAmount(run) : undefined;
    if (amount === undefined) return;
    for (const to_currency of supported) {
      const { response } = await pay(run, { amount, to_currency }, { label: 'currencies.codes' });
      if (response.accepted) return;
    }
  },
};

/** Returns the currencies of the wallets. */
function listWallets({ balances }: Seen): string[] {
  const { balances: listed } = balances[0]?.response.data ?? {};
  return (Array.isArray(listed) ? listed : []).map((wallet) => String(toRecord(wallet).currency));
}

/** Currencies in the order of the mock's list, so that equal sets are equal texts. */
const codes: Question = {
  setting: 'currencies.codes',
  ask: currencyQuotes,
  second: 'payments above the balance to each currency',
  read: (seen) => {
    const { from } = seen.facts;
    const asked = seen
      .of('currencies.codes')
      .filter(
        ({ sent, operation }) =>
          operation === 'createQuote' &&
          sent.from_currency === from &&
          toMicro(sent.amount) === SAMPLES[0] * CENT,
      );
    const taken = asked
      .filter(({ response }) => response.accepted)
      .map(({ sent }) => String(sent.to_currency));
    if (taken.length === 0) return { unknown: 'nothing shows it: send quotes to each currency' };
    const all = [...taken, from].toSorted();
    const isDefault =
      defaultCurrencies.every((code) => all.includes(code)) && all.length === defaultCurrencies.length;
    return {
      value: isDefault ? 'default' : all,
      evidence: `${all.length} of ${asked.length + 1} currencies`,
    };
  },
  proves: (seen, value) => {
    const all: readonly unknown[] = Array.isArray(value) ? value : defaultCurrencies;
    const others = seen
      .of('currencies.codes')
      .filter(
        ({ sent, operation }) =>
          operation === 'createPayment' ||
          toMicro(sent.amount) !== SAMPLES[0] * CENT ||
          sent.from_currency !== seen.facts.from,
      );
    const ofPayments = others.filter(({ operation }) => operation === 'createPayment');
    const isTaken = ({ sent }: Call): boolean =>
      [sent.from_currency, sent.to_currency].every((code) => all.includes(code));
    const agree = others.filter(
      (call) => (call.response.accepted || isLackingFunds(call, seen)) === isTaken(call),
    );
    return {
      agree: ofPayments.length > 0 ? agree.map(writePair).slice(0, 1) : [],
      against: others.filter((call) => !agree.includes(call)).map(writePair),
    };
  },
};

const USUAL_TEXT = 255;
const LONGEST = 10_000;
const textFields = [
  'purpose',
  'beneficiary_name',
  'beneficiary_bank',
  'beneficiary_account',
  'beneficiary_country',
] as const;

/** Attempts payments above the balance, so that a service that accepts their texts creates none. */
export const texts: Step = {
  subject: 'texts of payments',
  needs: 'payments',
  send: async (run) => {
    const amount = await findLackingAmount(run);
    if (amount === undefined) return;
    const accepts = async (field: string, length: bigint): Promise<boolean> => {
      const call = await pay(run, { amount, [field]: 'x'.repeat(Number(length)) }, { label: 'texts.limit' });
      return call.response.accepted || isLackingFunds(call, run.seen());
    };
    const ofPurpose = (length: bigint): Promise<boolean> => accepts('purpose', length);
    const usual = BigInt(USUAL_TEXT);
    const isUsual = !(await ofPurpose(usual + 1n)) && (await ofPurpose(usual));
    const found = isUsual
      ? usual
      : (await ofPurpose(BigInt(LONGEST)))
        ? undefined
        : await bisect(BigInt(LONGEST), 1n, { accepts: ofPurpose, unit: 1n });
    for (const field of textFields.slice(1)) {
      if (found !== undefined) await accepts(field, found);
      await accepts(field, (found ?? BigInt(LONGEST - 1)) + 1n);
    }
    for (const field of textFields) await pay(run, { amount, [field]: 5 }, { label: 'texts.number' });
    for (const field of ['purpose', 'beneficiary_bank']) {
      const [call, blank] = [await pay(run, { amount, [field]: '' }, { label: 'texts.empty' }), ''];
      if (isLackingFunds(call, run.seen())) await pay(run, { [field]: blank }, { label: 'texts.empty' });
    }
  },
};

interface TextAsked {
  readonly field: string;
  readonly length: number;
  readonly isTaken: boolean;
}

const listTexts = (seen: Seen, isOfPurpose: boolean): TextAsked[] =>
  seen.of('texts.limit').flatMap((call) => {
    const field = textFields.find(
      (name) =>
        formatValue(call.sent[name]).startsWith('"xx') ||
        (name === 'purpose' && call.sent.purpose !== undefined),
    );
    if (field === undefined || (field === 'purpose') !== isOfPurpose) return [];
    return [
      {
        field,
        length: String(call.sent[field]).length,
        isTaken: call.response.accepted || isLackingFunds(call, seen),
      },
    ];
  });

const textLimit: Question = {
  setting: 'texts.limit',
  ask: texts,
  second: 'the same limit of another field',
  read: (seen) => {
    const asked = listTexts(seen, true);
    const longest = Math.max(0, ...asked.filter(({ isTaken }) => isTaken).map(({ length }) => length));
    if (!asked.some(({ isTaken, length }) => !isTaken && length === longest + 1))
      return {
        unknown:
          longest > 0
            ? `a purpose of ${longest} characters is accepted; longer ones were not asked`
            : 'send payments with long purposes',
      };
    return {
      value: longest,
      evidence: `a purpose of ${longest} characters is accepted, one of ${longest + 1} is not`,
    };
  },
  proves: (seen, value) => {
    const others = listTexts(seen, false);
    const isRight = ({ length, isTaken }: TextAsked): boolean => length <= Number(value) === isTaken;
    return sortOut(others, isRight, writeText);
  },
};

/** A refused text counts only if the same payment without it lacks funds; a created payment shows what was kept. */
const emptyText = choice(
  'texts.empty',
  texts,
  'payments with an empty purpose and an empty bank',
  (response, { sent }, seen) => {
    const { purpose, beneficiary } = response.data;
    const [field, kept] = sent.purpose === '' ? ['purpose', purpose] : ['bank', toRecord(beneficiary).bank];
    if (!response.accepted)
      return isLackingFunds({ response } as Call, seen)
        ? undefined
        : isRefusal(response)
          ? 'reject'
          : 'other';
    const plain = seen.payments.find(
      ({ create }) => create.sent.purpose === undefined && create.sent.beneficiary_bank === undefined,
    );
    const { data = {} } = plain?.create.response ?? {};
    const usual = field === 'purpose' ? data.purpose : toRecord(data.beneficiary).bank;
    if (kept === '') return plain !== undefined && usual !== '' ? 'keep' : undefined;
    return plain !== undefined && kept === usual ? 'absent' : 'other';
  },
);

export const keys: Step = {
  subject: 'idempotency keys',
  needs: 'payments',
  send: async (run) => {
    const amount = Number(run.plan.amount);
    for (const more of [0, 20]) {
      const headers = { 'idempotency-key': crypto.randomUUID() };
      for (const [extra, label] of [
        [0, 'payments'],
        [0, 'idempotency'],
        [1, 'idempotency'],
      ] as const) {
        const { response } = await pay(
          run,
          { amount: amount + more + extra, ...(more > 0 && { purpose: 'Probe key' }) },
          { headers, label },
        );
        if (!response.accepted && label === 'payments') return;
      }
    }
  },
};

/** The requests of an idempotency key: a create, the same one again, and one with another body. */
interface KeyUse {
  readonly create: Call;
  readonly again: Call;
  readonly changed: Call | undefined;
}

function listKeyUses({ calls }: Seen): KeyUse[] {
  const creates = calls.filter(
    ({ operation, headers }) => operation === 'createPayment' && headers['idempotency-key'] !== undefined,
  );
  return [...new Set(creates.map(({ headers }) => headers['idempotency-key']))].flatMap((key) => {
    const [create, ...others] = creates.filter(({ headers }) => headers['idempotency-key'] === key);
    const isSame = (call: Call): boolean => JSON.stringify(call.sent) === JSON.stringify(create?.sent);
    const again = others.find(isSame);
    return create?.response.accepted === true && again
      ? [{ create, again, changed: others.find((call) => !isSame(call)) }]
      : [];
  });
}

const idOf = (call: Call | undefined): unknown =>
  call?.response.accepted === true ? call.response.data.id : undefined;

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
    if (idOf(changed) === idOf(create)) return { text, value: 'replayedAny' };
    // Another payment under the key of the first one is no value of the setting.
    return idOf(changed) === undefined ? { text, value: 'replayed' } : { text };
  },
});

const replayed = repeated<KeyUse>({
  setting: 'successStatus.replayPayment',
  ask: keys,
  request: 'a payment twice with the same Idempotency-Key, twice',
  list: (seen) => listKeyUses(seen).filter(({ create, again }) => idOf(again) === idOf(create)),
  keyOf: ({ create }) => JSON.stringify(create.sent),
  show: ({ create, again }) => {
    const [first, second] = [create.response.status, again.response.status];
    const text = `created with ${first}, replayed with ${second} for ${String(create.sent.amount)}`;
    return first === second ? { text, value: 'created' } : second === 200 ? { text, value: 200 } : { text };
  },
});

const replayStatus: Question = {
  ...replayed,
  // Keys that are ignored or refused replay nothing.
  read: (seen) =>
    listKeyUses(seen).some(({ create, again }) => idOf(again) === idOf(create)) ||
    listKeyUses(seen).length === 0
      ? replayed.read(seen)
      : 'pointless',
};

export const requestQuestions: readonly Question[] = [
  codes,
  choice('currencies.case', forms, 'a currency in lower case', ({ accepted, data, status }, { sent }) => {
    const codeOf = (name: string): string => String(sent[name]).toUpperCase();
    const isUpper = ['from_currency', 'to_currency'].every((name) => data[name] === codeOf(name));
    return accepted ? (isUpper ? 'normalise' : 'other') : status < 500 ? 'strict' : 'other';
  }),
  choice('currencies.same', forms, 'a quote from a currency to itself', {
    accepted: 'allow',
    refused: 'reject',
  }),
  choice('amounts.text', forms, 'an amount as text', (response, call, seen) =>
    response.accepted || isLackingFunds(call, seen) ? 'accept' : isRefusal(response) ? 'reject' : 'other',
  ),
  precision,
  limit('minimum'),
  limit('maximum'),
  textLimit,
  emptyText,
  choice('texts.number', texts, 'a number as a text', (response, call, seen) =>
    response.accepted || isLackingFunds(call, seen) ? 'accept' : isRefusal(response) ? 'reject' : 'other',
  ),
  replayStatus,
  idempotency,
];
