import { type Finding, found, other, type Setting, unknown } from './finding.ts';
import { type Bench, demand, type Experiment, quote } from './bench.ts';
import { toMicro } from './micro.ts';
import { describe, isRefusal, type Sighting, toRecord } from './wire.ts';

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
  return [
    isKnown ? found('quoteStatus', status, evidence) : other('quoteStatus', evidence),
    judgeNumbers(data.send_amount),
  ];
}

/** A tail shows behind the sixth decimal, where neither amounts nor rates have any. */
function judgeNumbers(value: unknown): Finding {
  const evidence = `"send_amount": ${JSON.stringify(value)}`;
  if (toMicro(value) === undefined) return other('numbers', evidence);
  if (typeof value === 'string') return found('numbers', 'string', evidence);
  return found('numbers', /\.\d{7}/.test(String(value)) ? 'floatTail' : 'number', evidence);
}

async function lookAtError(bench: Bench): Promise<Finding[]> {
  const sighting = await quote(bench, { amount: 0 });
  const { status, text, body } = sighting;
  if (!isRefusal(sighting))
    return [unknown('errorShape', `a quote of 0 was answered with ${describe(sighting)}`)];
  const evidence = `a quote of 0: ${status} ${text.slice(0, 60).replaceAll(/\s+/g, ' ')}`;
  if (/^\s*</.test(text)) return [found('errorShape', 'html', evidence)];
  const { error, message } = toRecord(body);
  const { type, message: inner, ...more } = toRecord(error);
  if (typeof type === 'string' && typeof inner === 'string')
    return [found('errorShape', Object.keys(more).length > 0 ? 'extra' : 'envelope', evidence)];
  const isBare = error === undefined && typeof message === 'string';
  return [isBare ? found('errorShape', 'bare', evidence) : other('errorShape', evidence)];
}

async function lookAtMalformedBody({ ask }: Bench): Promise<Finding[]> {
  const sighting = await ask('/quotes', { raw: '{' });
  const evidence = `a body that is no JSON: ${describe(sighting)}`;
  const { status } = sighting;
  const isKnown = status === 400 || status === 422;
  return [isKnown ? found('malformedBody', status, evidence) : other('malformedBody', evidence)];
}

async function lookAtSameCurrency(bench: Bench): Promise<Finding[]> {
  const { from } = bench.plan;
  const sighting = await quote(bench, { to_currency: from });
  const values = { accepted: 'allow', refused: 'reject' } as const;
  return [judge('sameCurrency', sighting, { ...values, what: `${from} to ${from}` })];
}

async function lookAtCurrencyCase(bench: Bench): Promise<Finding[]> {
  const sighting = await quote(bench, { from_currency: bench.plan.from.toLowerCase() });
  const values = { accepted: 'normalise', refused: 'strict' } as const;
  return [judge('currencyCase', sighting, { ...values, what: 'a currency in lower case' })];
}

async function lookAtUnknownField(bench: Bench): Promise<Finding[]> {
  const sighting = await quote(bench, { no_such_field: 1 });
  const values = { accepted: 'ignore', refused: 'reject' } as const;
  return [judge('unknownFields', sighting, { ...values, what: 'a field that there is not' })];
}

async function lookAtExcessPrecision(bench: Bench): Promise<Finding[]> {
  const sighting = await quote(bench, { amount: 10.009 });
  const what = 'an amount of 10.009';
  if (!sighting.accepted) return [judge('excessPrecision', sighting, { refused: 'reject', what })];
  const { send_amount } = sighting.data;
  const evidence = `${what}: "send_amount": ${JSON.stringify(send_amount)}`;
  const micro = toMicro(send_amount);
  if (micro === 10_010_000n) return [found('excessPrecision', 'round', evidence)];
  return [
    micro === 10_000_000n
      ? found('excessPrecision', 'truncate', evidence)
      : other('excessPrecision', evidence),
  ];
}

type Meaning = { readonly accepted?: string; readonly refused: string; readonly what: string };

function judge(setting: Setting, sighting: Sighting, { accepted, refused, what }: Meaning): Finding {
  const evidence = `${what}: ${describe(sighting)}`;
  if (sighting.accepted && accepted !== undefined)
    return { setting, state: 'found', value: accepted, evidence };
  if (isRefusal(sighting)) return { setting, state: 'found', value: refused, evidence };
  return other(setting, evidence);
}
