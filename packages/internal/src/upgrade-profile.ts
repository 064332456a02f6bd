import { isRecord, type JsonObject, toRecord } from './json.ts';
import { documentedEvent, namedErrors } from './presets.ts';
import type { RefusalTemplate } from './profile.ts';
import type { Template } from './template.ts';

/** The settings of a profile, and of the one that it changes. */
type Settings = Record<string, unknown>;

/** Writes the settings that a value of an earlier setting is now. */
type Upgrade = (settings: Settings, given: Settings) => void;

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

/** The names of the settings of earlier versions, which a profile can have. */
export type EarlierSetting = keyof typeof fields | TemplateSetting | 'amountLimits' | 'deprecation';

/** The settings whose text or list is short for one of their fields. */
const shortFor: Readonly<Record<string, string>> = {
  debitAt: 'status',
  refund: 'failed',
  paths: 'similar',
  currencies: 'codes',
};

function writeFields(settings: Settings, name: string, values: object): void {
  const [given, short] = [settings[name], shortFor[name]];
  const isShort = short !== undefined && given !== undefined && !isRecord(given);
  settings[name] = { ...(isShort ? { [short]: given } : toRecord(given)), ...values };
}

/** Adds to the template of a refusal. Its own fields and headers stay as they are. */
function refuse(settings: Settings, name: string, template: RefusalTemplate): void {
  const own = toRecord(toRecord(settings.refusals)[name]);
  const headers = template.headers && { headers: { ...template.headers, ...toRecord(own.headers) } };
  writeFields(settings, 'refusals', { [name]: { ...template, ...own, ...headers } });
}

/** Replaces texts of a template in its JSON, where a brace that is not of a placeholder comes before a quote. */
function replaceTexts(template: unknown, pattern: RegExp, text: string): Template {
  const replaced = JSON.stringify(template).replaceAll(pattern, (found) => (found === '{{' ? found : text));
  return JSON.parse(replaced) as Template;
}

/** Replaces texts in all bodies of errors. */
function changeErrors(settings: Settings, pattern: RegExp, text: string): void {
  const { errorShape: given = 'envelope', refusals } = settings;
  const change = ({ body, ...others }: JsonObject): JsonObject =>
    body === undefined ? others : { ...others, body: replaceTexts(body, pattern, text) };
  const shape = typeof given === 'string' ? namedErrors[given as 'envelope'] : toRecord(given);
  settings.errorShape = change({ ...namedErrors.envelope, ...shape });
  for (const [name, each] of Object.entries(toRecord(refusals)))
    writeFields(settings, 'refusals', { [name]: change(toRecord(each)) });
}

function setFeeMode(mode?: string): Upgrade {
  return (settings) => {
    const { fees = [{ percent: '0.5' }] } = settings;
    if (Array.isArray(fees)) settings.fees = fees.map((rule) => ({ ...toRecord(rule), mode }));
  };
}

/** Responds 422 to a body of a request that is not JSON, and as before to an invalid key. */
function refuseBody(malformed: string): Upgrade {
  return (settings) => {
    refuse(settings, 'malformed_key', toRecord(toRecord(settings.refusals).malformed_body));
    refuse(settings, 'malformed_body', { status: 422, type: 'validation_error' });
    writeFields(settings, 'requestBody', { malformed });
  };
}

function setLimitHeaders(headers: RefusalTemplate['headers']): Upgrade {
  const names = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'];
  const removed = Object.fromEntries(names.map((name) => [name, null]));
  return (settings) => refuse(settings, 'rate_limit', { headers: { ...removed, ...headers } });
}

const none: Upgrade = () => {};
const NO_MODE = '{"{case mode}":{"test":"test","live":"live","else":null}}';

type TemplateSetting =
  | 'feeMode'
  | 'foreignPayment'
  | 'malformedBody'
  | 'modeOn401'
  | 'rateLimitHeaders'
  | 'redelivery'
  | 'unknownStatus';

/** The templates that values of settings of earlier versions are now. */
const templates: Readonly<Record<TemplateSetting, Readonly<Record<string, Upgrade>>>> = {
  foreignPayment: {
    // The template had no effect.
    not_found: (settings) => writeFields(settings, 'refusals', { foreign_payment: undefined }),
    permission_error: (settings) => {
      const message = 'The payment belongs to another account.';
      refuse(settings, 'foreign_payment', { status: 403, type: 'permission_error', message });
    },
  },
  malformedBody: {
    400: (settings) => writeFields(settings, 'requestBody', { malformed: 'reject' }),
    422: refuseBody('reject'),
    empty: refuseBody('empty'),
  },
  rateLimitHeaders: {
    x: none,
    retryAfter: setLimitHeaders({}),
    ietf: setLimitHeaders({
      'RateLimit-Policy': '"default";q={limit}',
      RateLimit: '"default";r={remaining};t={reset}',
    }),
    none: setLimitHeaders({ 'Retry-After': null }),
  },
  modeOn401: {
    omit: none,
    guess: (settings) => changeErrors(settings, /\{\{|\{mode(?=[ }])/g, '{mode or=key_mode'),
    null: (settings) => changeErrors(settings, /"\{mode(?: [^}"]*)?\}"/g, NO_MODE),
  },
  feeMode: {
    inside: setFeeMode(),
    onTop: setFeeMode('onTop'),
    inRate: setFeeMode('inRate'),
    none: (settings) => void (settings.fees = []),
  },
  redelivery: {
    same: none,
    newCreatedAt: (settings) => {
      const { eventShape: shape = 'documented' } = settings;
      const template = shape === 'documented' ? documentedEvent : shape;
      settings.eventShape = replaceTexts(template, /\{\{|\{at(?=[ }])/g, '{renewed_at');
    },
  },
  unknownStatus: { none: setReview(false), invented: setReview(true) },
};

const REVIEW = 'under_review';

/** Adds or removes a status that settings of earlier versions had. */
function setReview(isAdded: boolean): Upgrade {
  return (settings, { durations, events }) => {
    const { extraStatuses = [] } = settings;
    if (!Array.isArray(extraStatuses)) return;
    const { [REVIEW]: duration = '3s' } = toRecord(durations);
    const isSent = !Array.isArray(events) || events.includes(REVIEW);
    const review = { status: REVIEW, after: 'processing', duration, ...(!isSent && { webhook: false }) };
    const others = extraStatuses.filter((each) => toRecord(each).status !== REVIEW);
    settings.extraStatuses = isAdded ? [...others, review] : others;
  };
}

/** Writes the headers of a deprecation (RFC 9745, RFC 8594). */
function findDeprecation(value: unknown): Upgrade | undefined {
  const { deprecated, sunset, link = '/deprecation' } = toRecord(value);
  const [since, until] = [new Date(String(deprecated)), new Date(String(sunset))];
  const isValid =
    since.getTime() <= Infinity && until.getTime() <= Infinity && /^[!-;=?-~]+$/.test(String(link));
  const dates = {
    Deprecation: `@${Math.floor(since.getTime() / 1000)}`,
    Sunset: until.toUTCString(),
    Link: `<${String(link).replaceAll('{', '{{')}>; rel="deprecation"`,
  };
  return isValid
    ? (settings) =>
        writeFields(settings, 'headers', { all: { ...toRecord(toRecord(settings.headers).all), ...dates } })
    : undefined;
}

/** The values of `idempotency` that an earlier version named differently. */
const renamed: ReadonlyMap<unknown, string> = new Map([
  ['on', 'replayed'],
  ['off', 'ignored'],
  ['conflictOnReplay', 'conflict'],
]);

/** Returns the upgrade of an earlier setting. Undefined for any other one, and for a value that it never had. */
function findUpgrade(name: string, value: unknown): Upgrade | undefined {
  if (Object.hasOwn(fields, name)) {
    const [setting = '', field = ''] = fields[name as keyof typeof fields].split('.');
    const isEmpty = isRecord(value) && Object.keys(value).length === 0;
    return (settings) => writeFields(settings, setting, { [field]: isEmpty ? undefined : value });
  }
  if (name === 'amountLimits' && isRecord(value))
    return (settings) => writeFields(settings, 'amounts', value);
  if (name === 'deprecation') return value === 'none' ? none : findDeprecation(value);
  const isName = typeof value === 'string' || typeof value === 'number';
  return isName && Object.hasOwn(templates, name) ? templates[name as TemplateSetting][value] : undefined;
}

/** Translates the settings and values of earlier versions. `base` is the profile that the given one changes. */
export function upgradeProfile(profile: object, base: object = {}): JsonObject {
  const given = Object.fromEntries(
    Object.entries(profile).filter(([, value]) => value !== undefined),
  ) as Settings;
  const settings: Settings = { ...base, ...given };
  for (const [name, value] of Object.entries(given)) {
    const upgrade = findUpgrade(name, value);
    if (upgrade !== undefined) delete settings[name];
    upgrade?.(settings, given);
  }
  const { durations, events, idempotency } = settings;
  const { [REVIEW]: _, ...others } = toRecord(durations);
  if (isRecord(durations)) settings.durations = others;
  if (Array.isArray(events)) settings.events = events.filter((each) => each !== REVIEW);
  settings.idempotency = renamed.get(idempotency) ?? idempotency;
  return Object.fromEntries(
    Object.entries(settings).filter(([name, value]) => value !== (base as Settings)[name]),
  );
}
