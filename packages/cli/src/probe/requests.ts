import { type Fields, toRecord } from '../json.ts';
import { type Finding, found, other, type Setting, unknown } from './finding.ts';
import { type Bench, demand, type Experiment, quote, quoteWell } from './bench.ts';
import { toMicro } from './micro.ts';
import { describe, isRefusal, type Sighting, writeValue } from './wire.ts';

/** Looks at what the service takes and refuses in a request; quotes only, which leave nothing behind (spec §4). */
export const requests: readonly Experiment[] = [
  { settings: ['quoteStatus', 'numbers'], look: lookAtQuote },
  { settings: ['errorShape'], look: lookAtError },
  { settings: ['malformedBody'], look: lookAtMalformedBody },
  { settings: ['sameCurrency'], look: lookAtSameCurrency },
  { settings: ['currencyCase'], look: lookAtCurrencyCase },
  { settings: ['unknownFields'], look: lookAtUnknownField },
  { settings: ['excessPrecision'], look: lookAtExcessPrecision },
];

async function lookAtQuote(bench: Bench): Promise<Finding[]> {
  const sighting = await quote(bench);
  const data = demand(sighting, 'a quote');
  const { status } = sighting;
  const isKnown = status === 200 || status === 201;
  const evidence = `POST /quotes: ${status}`;
  const quotes = [data];
  for (const amount of CROOKED) {
    const more = await quote(bench, { amount });
    if (more.accepted) quotes.push(more.data);
  }
  return [
    isKnown ? found('quoteStatus', status, evidence) : other('quoteStatus', evidence),
    judgeNumbers(quotes),
  ];
}

/** Holds amounts whose shares doubles do not hold, so that a tail shows where there is one. */
const CROOKED = [29.07, 33.33] as const;

/** Judges the figures of some quotes: they are written in one way, but for a tail, which only some have. */
function judgeNumbers(quotes: readonly Fields[]): Finding {
  const figures = quotes.flatMap(({ send_amount, fee, rate, receive_amount }) =>
    Object.entries({ send_amount, fee, rate, receive_amount }),
  );
  const strange = figures.find(([, value]) => toMicro(value) === undefined);
  if (strange) return other('numbers', show(strange));
  const [first = ['', undefined]] = figures;
  const unlike = figures.find(([, value]) => typeof value !== typeof first[1]);
  if (unlike) return other('numbers', `${show(first)}, ${show(unlike)}`);
  if (typeof first[1] === 'string') return found('numbers', 'string', show(first));
  const tailed = figures.find(([, value]) => hasTail(String(value)));
  return tailed ? found('numbers', 'floatTail', show(tailed)) : found('numbers', 'number', show(first));
}

function show([name, value]: [string, unknown]): string {
  return `"${name}": ${writeValue(value)}`;
}

/** Tells the last digits of a double from decimals that are meant, however many. */
function hasTail(text: string): boolean {
  const digits = text.replace(/^[-0.]+/, '');
  return /e-/.test(text) || (/\.\d{7}/.test(text) && /(0{4}\d{1,3}|9{4}\d{0,3})$/.test(digits));
}

async function lookAtError(bench: Bench): Promise<Finding[]> {
  const sighting = await quote(bench, { amount: 0 });
  const { status, text, body } = sighting;
  if (status !== 400 && status !== 422)
    return [unknown('errorShape', `a quote of 0 was answered with ${describe(sighting)}`)];
  const evidence = `a quote of 0: ${status} ${text.slice(0, 60).replaceAll(/\s+/g, ' ')}`;
  if (/^\s*</.test(text)) return [found('errorShape', 'html', evidence)];
  const { error, message, success, mode: _, ...besides } = toRecord(body);
  const { type, message: inner, ...more } = toRecord(error);
  const isNamed = typeof type === 'string' && typeof inner === 'string';
  if (isNamed && success === false && Object.keys(besides).length === 0)
    return [found('errorShape', Object.keys(more).length > 0 ? 'extra' : 'envelope', evidence)];
  const isBare = error === undefined && typeof message === 'string';
  const names = [
    ...Object.keys(toRecord(body)),
    ...Object.keys(toRecord(error)).map((one) => `error.${one}`),
  ];
  const fields = `fields: ${names.join(', ') || 'none'}`;
  return [isBare ? found('errorShape', 'bare', evidence) : other('errorShape', `${evidence}; ${fields}`)];
}

async function lookAtMalformedBody(bench: Bench): Promise<Finding[]> {
  const sighting = await bench.ask('/quotes', { raw: '{' });
  await quoteWell(bench);
  const evidence = `a body that is no JSON: ${describe(sighting)}`;
  const { status } = sighting;
  const isKnown = status === 400 || status === 422;
  return [isKnown ? found('malformedBody', status, evidence) : other('malformedBody', evidence)];
}

async function lookAtSameCurrency(bench: Bench): Promise<Finding[]> {
  const { from } = bench.plan;
  const sighting = await quote(bench, { to_currency: from });
  const what = `${from} to ${from}`;
  if (sighting.accepted) return [found('sameCurrency', 'allow', `${what}: ${describe(sighting)}`)];
  return [await judgeRefusal(bench, sighting, { setting: 'sameCurrency', value: 'reject', what })];
}

async function lookAtCurrencyCase(bench: Bench): Promise<Finding[]> {
  const { from } = bench.plan;
  const sighting = await quote(bench, { from_currency: from.toLowerCase() });
  const what = 'a currency in lower case';
  if (!sighting.accepted)
    return [await judgeRefusal(bench, sighting, { setting: 'currencyCase', value: 'strict', what })];
  const { from_currency } = sighting.data;
  const evidence = `${what}: "from_currency": ${writeValue(from_currency)}`;
  return [
    from_currency === from ? found('currencyCase', 'normalise', evidence) : other('currencyCase', evidence),
  ];
}

async function lookAtUnknownField(bench: Bench): Promise<Finding[]> {
  const sighting = await quote(bench, { no_such_field: 1 });
  const what = 'a field that there is not';
  if (sighting.accepted) return [found('unknownFields', 'ignore', `${what}: ${describe(sighting)}`)];
  return [await judgeRefusal(bench, sighting, { setting: 'unknownFields', value: 'reject', what })];
}

const FINE = { amount: 10.01 } as const;

async function lookAtExcessPrecision(bench: Bench): Promise<Finding[]> {
  const sighting = await quote(bench, { amount: 10.009 });
  const what = 'an amount of 10.009';
  const like = { setting: 'excessPrecision', value: 'reject', what, control: FINE } as const;
  if (!sighting.accepted) return [await judgeRefusal(bench, sighting, like)];
  const { send_amount } = sighting.data;
  const evidence = `${what}: "send_amount": ${writeValue(send_amount)}`;
  const micro = toMicro(send_amount);
  if (micro === 10_010_000n) return [found('excessPrecision', 'round', evidence)];
  if (micro !== 10_000_000n) return [other('excessPrecision', evidence)];
  const fine = await quoteWell(bench, FINE);
  return [
    toMicro(fine.send_amount) === 10_010_000n
      ? found('excessPrecision', 'truncate', evidence)
      : unknown('excessPrecision', `${bench.plan.from} has less than two decimals`),
  ];
}

type Refusal = {
  readonly setting: Setting;
  /** Holds the value that refuses what was asked. */
  readonly value: unknown;
  readonly what: string;
  /** Changes the plain quote that the refused one is compared with. */
  readonly control?: object;
};

/** Judges what was not accepted. It counts only where the plain quote is: else it was refused for something else. */
async function judgeRefusal(
  bench: Bench,
  sighting: Sighting,
  { setting, value, what, control }: Refusal,
): Promise<Finding> {
  await quoteWell(bench, control);
  const evidence = `${what}: ${describe(sighting)}`;
  return isRefusal(sighting) ? { setting, state: 'found', value, evidence } : other(setting, evidence);
}
