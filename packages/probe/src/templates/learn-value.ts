import { type Template, toMicro } from '@service/internal';
import { learnKeyForm } from './ids.ts';
import {
  type DefaultForms,
  isDay,
  isWord,
  type Known,
  matchValue,
  type Place,
  readEpochForm,
  readTime,
  readTimestamp,
  readTimestampForm,
  type Sample,
  textForms,
} from './known.ts';
import { paymentKey } from './values.ts';

/** Learns a value: a placeholder that shows it in every sample, a replacement of one, or the value itself. */
export function learnValue(samples: readonly Sample[], place: Place): Template {
  const values = samples.map(({ json }) => json);
  const isConstant = values.every((value) => value === values[0]);
  const best = keepNearest(listShared(samples, place.forms), samples)
    .map((text) => ({ text, score: scoreOf(text, place.key, samples) }))
    .toSorted((a, b) => b.score - a.score)[0];
  if (best !== undefined && (!isConstant || best.score >= MIN_SCORE))
    return addKeyForm(best.text, values, place);
  const words = learnWords(samples, place);
  if (words !== undefined) return words;
  // Responses of the same second have the same time.
  const isRandom = samples.length === 1 && RANDOM.test(String(values[0]).replaceAll(/[-:.]/g, ''));
  const isParticular = place.forms.isOne && typeof values[0] !== 'boolean' && !isWord(values[0]);
  const isOwn = showsOwn(samples, place.key);
  const isTime = isDay(values[0]) || readTimestampForm(values[0]) !== undefined;
  if (isConstant && !isRandom && !isParticular && !isOwn && !isTime) return toLiteral(values[0]);
  const learned = learnForm(samples, place);
  if (learned === undefined) place.unexplained.add(place.key);
  return learned ?? toLiteral(values.at(-1));
}

/** An id, a time or a number of one response. */
export const RANDOM: RegExp = /(?=[A-Za-z]*\d)[A-Za-z0-9]{12,}|\d{6,}/;

/** Returns the placeholders without those of times that are farther from the shown ones than another known time. */
function keepNearest(shared: readonly string[], samples: readonly Sample[]): readonly string[] {
  const distances = shared.map((text) => {
    const name = /^\{(\w+)/.exec(text)?.[1] ?? '';
    const each = samples.map(({ json, known: { [name]: known } }) => {
      const shown = isDay(json) ? undefined : readTimestamp(json);
      return known?.kind === 'time' && shown !== undefined ? Math.abs(shown - known.at) : 0;
    });
    return Math.max(...each);
  });
  const nearest = Math.min(...distances);
  return shared.filter((_, index) => distances[index] === nearest);
}

/** Returns whether all samples show the amount with the name of their field, in whatever form. */
export function showsOwn(samples: readonly Sample[], key: string): boolean {
  return samples.every(
    ({ json, known: { [key]: own } }) => own?.kind === 'amount' && own.micro === toMicro(json),
  );
}

/** Adds the form of random ids to the placeholder of one. */
function addKeyForm(text: string, values: readonly unknown[], { forms: { key } }: Place): string {
  const isFormed = key !== undefined && !key.hasForm && text === `{${key.name}}`;
  return (isFormed ? learnKeyForm(values, key) : undefined) ?? text;
}

/** Returns the placeholders that show the value in every sample. */
function listShared(samples: readonly Sample[], forms: DefaultForms): string[] {
  const [first, ...others] = samples.map(({ json, known }) =>
    Object.entries(known).flatMap((entry) => matchValue(json, entry, forms)),
  );
  return (first ?? []).filter((text) => others.every((list) => list.includes(text)));
}

/** Returns whether a text has another one as whole words. */
export function hasWord(text: string, word: string): boolean {
  return toWord(word).test(text);
}

/** Returns the pattern of a text as whole words, also between underscores. */
function toWord(word: string): RegExp {
  return new RegExp(`(?<![A-Za-z0-9])${word.replaceAll(/\W/g, '\\$&')}(?![A-Za-z0-9])`);
}

/** Learns a value that differs and is not known: a time, an id or a number that counts. */
function learnForm(samples: readonly Sample[], { key, forms }: Place): string | undefined {
  const values = samples.map(({ json }) => json);
  const words = readTimeWords(values[0], forms);
  const names = Object.keys(samples[0]?.known ?? {});
  if (words !== undefined && values.every((value) => readTimeWords(value, forms) !== undefined)) {
    // A template may only use the values of its place.
    const name =
      learnLater(samples) ??
      [key, forms.time, 'updated_at', 'created_at', 'at'].find(
        (each) => each !== undefined && names.includes(each),
      );
    return name && `{${[name, ...words].join(' ')}}`;
  }
  return learnDerived(samples, forms);
}

/** Learns random ids of which each value of their key has one, such as the reference of a payment in all its statuses. */
function learnDerived(samples: readonly Sample[], { key }: DefaultForms): string | undefined {
  if (key === undefined) return undefined;
  const values = samples.map(({ json }) => json);
  // The id of a payment comes before that of its events.
  for (const own of [paymentKey, key]) {
    const { name } = own;
    const keys = samples.map(({ known }) => writeKnown(known[name]));
    const ids = new Map(keys.map((each, index) => [each, values[index]]));
    const isDerived = !ids.has('') && keys.every((each, index) => ids.get(each) === values[index]);
    const isShared = name === key.name || ids.size < values.length;
    if (isDerived && isShared && ids.size > 1) return learnKeyForm([...ids.values()], own);
    if (name === key.name && ids.has('') && values.length > 1) return learnKeyForm(values, key);
  }
  return undefined;
}

/** Returns the words that select the form of a time. Undefined for another value. */
function readTimeWords(value: unknown, { timestamps }: DefaultForms): readonly string[] | undefined {
  const epoch = readEpochForm(value);
  if (epoch !== undefined) return [epoch];
  const form = readTimestampForm(value);
  if (form === undefined) return undefined;
  const isDefault = timestamps?.digits === form.digits && timestamps.zone === form.zone;
  return isDefault ? [] : [`digits=${form.digits}`, `zone=${form.zone}`];
}

/** The least length of a text that is no word by chance. */
const MIN_LENGTH = 8;

/** The two currencies without a character between them. */
const pairs = ['{from_currency}{to_currency}', '{to_currency}{from_currency}'];

/** Learns a text with known texts as words, such as `USD/EUR` or `USDEUR`. */
function learnWords(samples: readonly Sample[], { forms: { key } }: Place): string | undefined {
  const pair = pairs.find((each) =>
    samples.every(
      ({ json, known }) =>
        json !== '' && json === each.replaceAll(/\{(\w+)\}/g, (_, name: string) => writeKnown(known[name])),
    ),
  );
  if (pair !== undefined) return pair;
  const written = samples.map(({ json }) => (typeof json === 'string' ? json.replaceAll('{', '{{') : ''));
  for (const name of Object.keys(samples[0]?.known ?? {}))
    for (const [words, of] of textForms) {
      const texts = samples.map(({ known: { [name]: known } }) =>
        known?.kind === 'text' && known.text !== null && known.text.length > 1 ? of(known.text) : undefined,
      );
      // A short text that all samples have can be there by chance.
      const isKnown = new Set(texts).size > 1 || (texts[0]?.length ?? 0) >= MIN_LENGTH;
      if (!isKnown || !texts.every((text, index) => text && hasWord(written[index] ?? '', text))) continue;
      const isId = key !== undefined && !key.hasForm && name === key.name;
      const placeholder = (isId && learnKeyForm(texts, key)) || `{${[name, ...words].join(' ')}}`;
      for (const [index, text = ''] of texts.entries())
        written[index] = written[index]?.replace(toWord(text), () => placeholder) ?? '';
    }
  const [template = ''] = written;
  return template.includes('}') && written.every((text) => text === template) ? template : undefined;
}

/** The least and the greatest difference of times that are apart by the same time, in milliseconds. */
const [MIN_LATER, MAX_SPREAD] = [3_000, 2_000];

/** Returns whether a time has whole seconds, which are up to one second before it. */
function isWhole(value: unknown): boolean {
  return readEpochForm(value) === 'unix';
}

/**
 * Learns a time that is later than the create of a payment or than the response by the same time in all samples, such as the
 * arrival of money or the end of a quote.
 */
function learnLater(samples: readonly Sample[]): string | undefined {
  for (const name of ['created_at', 'now']) {
    const distances = samples.map(({ json, known: { [name]: known } }) =>
      known?.kind === 'time'
        ? (readTime(json) ?? Number.NaN) + (isWhole(json) ? 500 : 0) - known.at
        : Number.NaN,
    );
    const [least, most] = [Math.min(...distances), Math.max(...distances)];
    const isSame = least >= MIN_LATER && most - least <= MAX_SPREAD;
    if (isSame) return `${name} plus=${Math.round((least + most) / 2_000)}s`;
  }
  return undefined;
}

function toLiteral(value: unknown): Template {
  if (typeof value === 'string') return value.replaceAll('{', '{{');
  return (value ?? null) as Template;
}

/** The score from which a value that is the same in all samples counts as a placeholder. */
const MIN_SCORE = 50;

const TEXTS = /reference|description|memo|note|text|label|narrative|details/;
const PLACES = /instance|ur[il]|endpoint/;

/** The names that services give to the values of placeholders, beside the words of their own names. */
const aliases: Readonly<Record<string, RegExp>> = {
  id: /^uuid$|reference|_id$/,
  request_id: /trace|correlation/,
  path: PLACES,
  target: PLACES,
  now: /time|date|_at$/,
  payment_id: /reference|source/,
  purpose: TEXTS,
  reference: TEXTS,
  amount: /value|gross|total/,
  debit: /total|gross|amount/,
  fee: /cost|charge/,
  row_fee: /cost|charge/,
  at: /^(?:created_at|timestamp|time|sent_at|occurred_at)$/,
  created_at: /posted|booked|date|time|_at$/,
  updated_at: /modified|changed/,
  processing_at: /(?:start|sent|submi|post).*(?:at|_on|date|time)$/,
  completed_at: /(?:complet|settle|paid|finish|execut|post).*(?:at|_on|date|time)$/,
  failed_at: /(?:fail|reject|declin).*(?:at|_on|date|time)$/,
  type: /kind|code/,
  message: /detail|title|error/,
  status: /state|code/,
  payment_status: /state/,
  per_page: /size|limit/,
  total: /count/,
  total_pages: /last/,
  field: /loc|path|param|name|source|property/,
  problem: /msg|message|detail|error/,
};

/** Returns whether a field has the name of a placeholder, a word of it, or another name for it. */
function isNamed(key: string, name: string): boolean {
  const words = name.split('_').filter((word) => !/^(?:at|id|to|per|from|key)$/.test(word));
  return key === name || words.some((word) => key.includes(word)) || aliases[name]?.test(key) === true;
}

/** The texts of a request: the service does not write them by itself. */
const ofRequest: ReadonlySet<string> = new Set([
  'beneficiary_name',
  'beneficiary_bank',
  'beneficiary_account',
  'purpose',
]);

/** Returns how well a placeholder fits a field: by name, then by how rare its value is. */
function scoreOf(text: string, key: string, samples: readonly Sample[]): number {
  const name = /\{(\w+)/.exec(text)?.[1] ?? '';
  const plain = key.toLowerCase();
  const named = plain === name ? 100 : isNamed(plain, name) ? 60 : 0;
  const values = samples.map(({ known }) => writeKnown(known[name]));
  const isVarying = new Set(values).size > 1;
  // All payments of a run have the same currencies.
  const isRare = name.endsWith('currency') || (values[0]?.length ?? 0) >= (ofRequest.has(name) ? 4 : 8);
  const words = text.split(' ').length - 1;
  return named + (isVarying ? 30 : 0) + (isRare ? 55 : 0) - words;
}

/** Writes a known value to compare it. Empty without one. */
export function writeKnown(known: Known | undefined): string {
  if (known === undefined) return '';
  if (known.kind === 'amount') return String(known.micro);
  if (known.kind === 'time') return String(known.at);
  if (known.kind === 'text') return known.text ?? '';
  if (known.kind === 'json') return JSON.stringify(known.json) ?? '';
  return String(known.count);
}
