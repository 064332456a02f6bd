import { isRecord, type JsonObject, toRecord } from './json.ts';
import { documentedEvent, namedErrors } from './presets.ts';
import type { RefusalTemplate } from './profile.ts';

/**
 * Returns the settings, or fields of them, that a value of an earlier setting is now: undefined for a value that it never had.
 * `settings` are those of the profile and of the one that it changes, `given` those of the profile.
 */
type Upgrade = (value: unknown, settings: JsonObject, given: JsonObject) => JsonObject | undefined;

/** The fields that settings of earlier versions are now. */
const fields = {
  createStatus: 'successStatus.createPayment',
  quoteStatus: 'successStatus.createQuote',
  replayStatus: 'successStatus.replayPayment',
  hold: 'debitAt.hold',
  returnRefund: 'refund.returned',
  badPage: 'listQuery.page',
  pastEnd: 'listQuery.pastEnd',
  unknownFilter: 'listQuery.filter',
  sameCurrency: 'currencies.same',
  currencyCase: 'currencies.case',
  excessPrecision: 'amounts.precision',
  amountText: 'amounts.text',
  emptyText: 'texts.empty',
  textLimit: 'texts.limit',
  mediaTypes: 'requestBody.mediaTypes',
  unknownFields: 'requestBody.unknownFields',
  bodyChecked: 'requestBody.checked',
  unknownPath: 'paths.unknown',
  envelope: 'beside.all',
  eventHeaders: 'headers.event',
} as const;

type Field = keyof typeof fields;

/** The names of the settings of earlier versions, which a profile can have. */
export type EarlierSetting =
  | Field
  | 'amountLimits'
  | 'deprecation'
  | 'feeMode'
  | 'foreignPayment'
  | 'malformedBody'
  | 'modeOn401'
  | 'rateLimitHeaders'
  | 'redelivery'
  | 'unknownStatus';

/** Replaces texts of a template in its JSON, where a brace that is not of a placeholder comes before a quote. */
function replaceTexts(template: unknown, pattern: RegExp, text: string): unknown {
  return JSON.parse(JSON.stringify(template).replaceAll(pattern, (found) => (found === '{{' ? found : text)));
}

/** Adds to the template of a refusal. Its own fields and headers stay as they are. */
function addRefusal(
  name: string,
  { headers, ...template }: RefusalTemplate,
  { refusals }: JsonObject,
): JsonObject {
  const own = toRecord(toRecord(refusals)[name]);
  const all = headers && { headers: { ...headers, ...toRecord(own.headers) } };
  return { [name]: { ...template, ...own, ...all } };
}

const modes: Readonly<Record<string, readonly [pattern: RegExp, text: string]>> = {
  guess: [/\{\{|\{mode(?=[ }])/g, '{mode or=key_mode'],
  null: [/"\{mode(?: [^}"]*)?\}"/g, '{"{case mode}":{"test":"test","live":"live","else":null}}'],
};

const removedLimits = { 'X-RateLimit-Limit': null, 'X-RateLimit-Remaining': null, 'X-RateLimit-Reset': null };
const limitHeaders: Readonly<Record<string, RefusalTemplate['headers']>> = {
  x: {},
  retryAfter: removedLimits,
  ietf: {
    ...removedLimits,
    'RateLimit-Policy': '"default";q={limit}',
    RateLimit: '"default";r={remaining};t={reset}',
  },
  none: { ...removedLimits, 'Retry-After': null },
};

const REVIEW = 'under_review';

/** The settings of earlier versions that are templates, lists or several fields now. */
const upgrades: Readonly<Record<Exclude<EarlierSetting, Field>, Upgrade>> = {
  amountLimits: (value) => (isRecord(value) ? { amounts: value } : undefined),
  foreignPayment(value, settings) {
    // The template had no effect.
    if (value === 'not_found') return { refusals: { foreign_payment: undefined } };
    const message = 'The payment belongs to another account.';
    const template = { status: 403, type: 'permission_error', message };
    return { refusals: addRefusal('foreign_payment', template, settings) };
  },
  malformedBody(value, settings) {
    const requestBody = { malformed: value === 'empty' ? 'empty' : 'reject' };
    if (value === 400) return { requestBody };
    // An invalid key has the same response as before.
    const { malformed_body = {} } = toRecord(settings.refusals);
    const malformed_key = addRefusal('malformed_key', malformed_body as RefusalTemplate, settings);
    const template = { status: 422, type: 'validation_error' };
    return {
      requestBody,
      refusals: { ...malformed_key, ...addRefusal('malformed_body', template, settings) },
    };
  },
  rateLimitHeaders(value, settings) {
    const headers = limitHeaders[String(value)];
    return headers && { refusals: addRefusal('rate_limit', { headers }, settings) };
  },
  modeOn401(value, { errorShape: given = 'envelope', refusals }) {
    const [pattern, text = ''] = modes[String(value)] ?? [];
    if (pattern === undefined) return {};
    const change = ({ body, ...others }: JsonObject): JsonObject =>
      body === undefined ? others : { ...others, body: replaceTexts(body, pattern, text) };
    const shape = typeof given === 'string' ? namedErrors[given as 'envelope'] : toRecord(given);
    const errorShape = change({ ...namedErrors.envelope, ...shape });
    const own = Object.entries(toRecord(refusals)).map(([name, each]) => [name, change(toRecord(each))]);
    return { errorShape, ...(own.length > 0 && { refusals: Object.fromEntries(own) }) };
  },
  feeMode(value, { fees = [{ percent: '0.5' }] }) {
    if (value === 'none' || !Array.isArray(fees)) return { fees: [] };
    const mode = value === 'inside' ? undefined : value;
    return { fees: fees.map((rule) => ({ ...toRecord(rule), mode })) };
  },
  redelivery(value, { eventShape: shape = 'documented' }) {
    const template = shape === 'documented' ? documentedEvent : shape;
    return value === 'same'
      ? {}
      : { eventShape: replaceTexts(template, /\{\{|\{at(?=[ }])/g, '{renewed_at') };
  },
  unknownStatus(value, { extraStatuses = [] }, { durations, events }) {
    if (!Array.isArray(extraStatuses)) return {};
    const others = extraStatuses.filter((each) => toRecord(each).status !== REVIEW);
    const { [REVIEW]: duration = '3s' } = toRecord(durations);
    const isSent = !Array.isArray(events) || events.includes(REVIEW);
    const review = { status: REVIEW, after: 'processing', duration, ...(!isSent && { webhook: false }) };
    return { extraStatuses: value === 'none' ? others : [...others, review] };
  },
  /** The headers of a deprecation (RFC 9745, RFC 8594). */
  deprecation(value, { headers }) {
    if (value === 'none') return {};
    const { deprecated, sunset, link = '/deprecation' } = toRecord(value);
    const [since, until] = [new Date(String(deprecated)), new Date(String(sunset))];
    if (Number.isNaN(since.getTime() + until.getTime()) || !/^[!-;=?-~]+$/.test(String(link)))
      return undefined;
    const dates = {
      Deprecation: `@${Math.floor(since.getTime() / 1000)}`,
      Sunset: until.toUTCString(),
      Link: `<${String(link).replaceAll('{', '{{')}>; rel="deprecation"`,
    };
    return { headers: { all: { ...toRecord(toRecord(headers).all), ...dates } } };
  },
};

/** The values that earlier settings had. */
const earlierValues: Readonly<Record<string, readonly unknown[]>> = {
  feeMode: ['inside', 'onTop', 'inRate', 'none'],
  foreignPayment: ['not_found', 'permission_error'],
  malformedBody: [400, 422, 'empty'],
  modeOn401: ['omit', 'null', 'guess'],
  rateLimitHeaders: ['x', 'ietf', 'none', 'retryAfter'],
  redelivery: ['same', 'newCreatedAt'],
  unknownStatus: ['none', 'invented'],
};

/** The settings whose text or list is short for one of their fields. */
export const shortFields: Readonly<Record<string, string>> = {
  debitAt: 'status',
  refund: 'failed',
  paths: 'similar',
  currencies: 'codes',
};

/** Writes settings, or fields of those that are objects. */
function write(settings: JsonObject, changes: JsonObject): void {
  for (const [name, value] of Object.entries(changes)) {
    const [known, short] = [settings[name], shortFields[name]];
    const current =
      short === undefined || known === undefined || isRecord(known) ? toRecord(known) : { [short]: known };
    settings[name] = isRecord(value) && !name.endsWith('Shape') ? { ...current, ...value } : value;
  }
}

/** The values of `idempotency` that an earlier version named differently. */
const renamed: ReadonlyMap<unknown, string> = new Map([
  ['on', 'replayed'],
  ['off', 'ignored'],
  ['conflictOnReplay', 'conflict'],
]);

function upgrade(
  name: string,
  value: unknown,
  settings: JsonObject,
  given: JsonObject,
): JsonObject | undefined {
  if (!Object.hasOwn(fields, name)) {
    const isKnown = Object.hasOwn(upgrades, name) && (earlierValues[name]?.includes(value) ?? true);
    return isKnown ? upgrades[name as 'feeMode'](value, settings, given) : undefined;
  }
  const [setting = '', field = ''] = fields[name as Field].split('.');
  const isEmpty = isRecord(value) && Object.keys(value).length === 0;
  return { [setting]: { [field]: isEmpty ? undefined : value } };
}

/** Translates the settings and values of earlier versions. `base` is the profile that the given one changes. */
export function upgradeProfile(profile: object, base: object = {}): JsonObject {
  const given: JsonObject = Object.fromEntries(
    Object.entries(profile).filter(([, value]) => value !== undefined),
  );
  const settings: JsonObject = { ...base, ...given };
  for (const [name, value] of Object.entries(given)) {
    const changes = upgrade(name, value, settings, given);
    if (changes === undefined) continue;
    delete settings[name];
    write(settings, changes);
  }
  const { durations, events, idempotency } = settings;
  const { [REVIEW]: duration, ...others } = toRecord(durations);
  if (duration !== undefined) settings.durations = others;
  if (Array.isArray(events) && events.includes(REVIEW))
    settings.events = events.filter((each) => each !== REVIEW);
  settings.idempotency = renamed.get(idempotency) ?? idempotency;
  return Object.fromEntries(
    Object.entries(settings).filter(([name, value]) => value !== (base as JsonObject)[name]),
  );
}
