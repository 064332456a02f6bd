import { isRecord, type JsonObject, toRecord } from './json.ts';
import { documentedEvent, namedErrors } from './presets.ts';
import type { RefusalTemplate } from './profile.ts';
import type { Template } from './template.ts';

/** A profile that is being translated. */
interface Draft {
  readonly own: ReadonlyMap<string, unknown>;
  /** Returns a setting of the profile, or of the one that it changes. */
  readonly read: (name: string) => unknown;
  readonly write: (name: string, value: unknown) => void;
}

/** The fields that settings of earlier versions are now. */
const fields = {
  createStatus: ['successStatus', 'createPayment'],
  quoteStatus: ['successStatus', 'createQuote'],
  replayStatus: ['successStatus', 'replayPayment'],
  hold: ['debitAt', 'hold'],
  returnRefund: ['refund', 'returned'],
  badPage: ['listQuery', 'page'],
  pastEnd: ['listQuery', 'pastEnd'],
  unknownFilter: ['listQuery', 'filter'],
  sameCurrency: ['currencies', 'same'],
  currencyCase: ['currencies', 'case'],
  excessPrecision: ['amounts', 'precision'],
  amountText: ['amounts', 'text'],
  emptyText: ['texts', 'empty'],
  textLimit: ['texts', 'limit'],
  mediaTypes: ['requestBody', 'mediaTypes'],
  unknownFields: ['requestBody', 'unknownFields'],
  bodyChecked: ['requestBody', 'checked'],
  unknownPath: ['paths', 'unknown'],
  envelope: ['beside', 'all'],
  eventHeaders: ['headers', 'event'],
} as const;

/** The names of the settings of earlier versions, which a profile can have. */
export type EarlierSetting =
  | keyof typeof fields
  | 'amountLimits'
  | 'deprecation'
  | 'feeMode'
  | 'foreignPayment'
  | 'malformedBody'
  | 'modeOn401'
  | 'rateLimitHeaders'
  | 'redelivery'
  | 'unknownStatus';

/** The settings whose text or list is short for one of their fields. */
const shortFor: Readonly<Record<string, string>> = {
  debitAt: 'status',
  refund: 'failed',
  paths: 'similar',
  currencies: 'codes',
};

function writeFields(name: string, values: object, { read, write }: Draft): void {
  const [given, short] = [read(name), shortFor[name]];
  const isShort = short !== undefined && given !== undefined && !isRecord(given);
  write(name, { ...(isShort ? { [short]: given } : toRecord(given)), ...values });
}

/** Adds to the template of a refusal. Its own fields and headers stay as they are. */
function refuse(name: string, { headers, ...template }: RefusalTemplate, draft: Draft): void {
  const own = toRecord(toRecord(draft.read('refusals'))[name]);
  const all = headers && { headers: { ...headers, ...toRecord(own.headers) } };
  writeFields('refusals', { [name]: { ...template, ...own, ...all } }, draft);
}

/** Replaces texts of a template in its JSON, where a brace that is not of a placeholder comes before a quote. */
function replaceTexts(template: unknown, pattern: RegExp, text: string): Template {
  const replaced = JSON.stringify(template).replaceAll(pattern, (found) => (found === '{{' ? found : text));
  return JSON.parse(replaced) as Template;
}

/** Replaces texts in all bodies of errors. */
function changeErrors(pattern: RegExp, text: string, { read, write }: Draft): void {
  const given = read('errorShape') ?? 'envelope';
  const shape = typeof given === 'string' ? namedErrors[given as 'envelope'] : toRecord(given);
  const change = ({ body, ...others }: JsonObject): JsonObject => ({
    ...others,
    ...(body !== undefined && { body: replaceTexts(body, pattern, text) }),
  });
  write('errorShape', change({ ...namedErrors.envelope, ...shape }));
  const refusals = Object.entries(toRecord(read('refusals')));
  if (refusals.length > 0)
    write('refusals', Object.fromEntries(refusals.map(([name, each]) => [name, change(toRecord(each))])));
}

function setFeeMode(mode: string | undefined, { read, write }: Draft): void {
  const rules = read('fees') ?? [{ percent: '0.5' }];
  if (Array.isArray(rules))
    write(
      'fees',
      rules.map((rule) => ({ ...toRecord(rule), mode })),
    );
}

const noLimitHeaders = {
  'X-RateLimit-Limit': null,
  'X-RateLimit-Remaining': null,
  'X-RateLimit-Reset': null,
};
const ietfHeaders = {
  'RateLimit-Policy': '"default";q={limit}',
  RateLimit: '"default";r={remaining};t={reset}',
};
const NO_MODE = '{"{case mode}":{"test":"test","live":"live","else":null}}';

/** Other bodies than those of requests have the status 422. */
function refuseBody(malformed: string, draft: Draft): void {
  const { malformed_body = {} } = toRecord(draft.read('refusals'));
  refuse('malformed_key', malformed_body as RefusalTemplate, draft);
  refuse('malformed_body', { status: 422, type: 'validation_error' }, draft);
  writeFields('requestBody', { malformed }, draft);
}

type Change = (draft: Draft) => void;
const none: Change = () => {};

/** The templates that values of settings of earlier versions are now. */
const templates: Readonly<Record<string, Readonly<Record<string, Change>>>> = {
  foreignPayment: {
    // The template had no effect.
    not_found: ({ read, write }) => {
      const { foreign_payment: own, ...others } = toRecord(read('refusals'));
      if (own !== undefined) write('refusals', others);
    },
    permission_error: (draft) => {
      const message = 'The payment belongs to another account.';
      refuse('foreign_payment', { status: 403, type: 'permission_error', message }, draft);
    },
  },
  malformedBody: {
    400: (draft) => writeFields('requestBody', { malformed: 'reject' }, draft),
    422: (draft) => refuseBody('reject', draft),
    empty: (draft) => refuseBody('empty', draft),
  },
  rateLimitHeaders: {
    x: none,
    retryAfter: (draft) => refuse('rate_limit', { headers: noLimitHeaders }, draft),
    ietf: (draft) => refuse('rate_limit', { headers: { ...noLimitHeaders, ...ietfHeaders } }, draft),
    none: (draft) => refuse('rate_limit', { headers: { ...noLimitHeaders, 'Retry-After': null } }, draft),
  },
  modeOn401: {
    omit: none,
    guess: (draft) => changeErrors(/\{\{|\{mode(?=[ }])/g, '{mode or=key_mode', draft),
    null: (draft) => changeErrors(/"\{mode(?: [^}"]*)?\}"/g, NO_MODE, draft),
  },
  feeMode: {
    inside: (draft) => setFeeMode(undefined, draft),
    onTop: (draft) => setFeeMode('onTop', draft),
    inRate: (draft) => setFeeMode('inRate', draft),
    none: ({ write }) => write('fees', []),
  },
  redelivery: {
    same: none,
    newCreatedAt: ({ read, write }) => {
      const shape = read('eventShape') ?? 'documented';
      const template = shape === 'documented' ? documentedEvent : (shape as Template);
      write('eventShape', replaceTexts(template, /\{\{|\{at(?=[ }])/g, '{renewed_at'));
    },
  },
  unknownStatus: {
    none: (draft) => setReview(false, draft),
    invented: (draft) => setReview(true, draft),
  },
};

const REVIEW = 'under_review';

/** Adds or removes a status that settings of earlier versions had. */
function setReview(isAdded: boolean, { own, read, write }: Draft): void {
  const [added, events] = [read('extraStatuses') ?? [], own.get('events')];
  if (!Array.isArray(added)) return;
  const { [REVIEW]: duration = '3s' } = toRecord(own.get('durations'));
  const isSent = !Array.isArray(events) || events.includes(REVIEW);
  const review = { status: REVIEW, after: 'processing', duration, ...(!isSent && { webhook: false }) };
  const others = added.filter((each) => toRecord(each).status !== REVIEW);
  write('extraStatuses', isAdded ? [...others, review] : others);
}

/** Leaves out a status that events and durations do not have any more. */
function leaveOutReview({ own, write }: Draft): void {
  const [events, { [REVIEW]: duration, ...durations }] = [own.get('events'), toRecord(own.get('durations'))];
  if (duration !== undefined) write('durations', durations);
  if (Array.isArray(events) && events.includes(REVIEW))
    write(
      'events',
      events.filter((each) => each !== REVIEW),
    );
}

/** Returns the headers of a deprecation (RFC 9745, RFC 8594). */
function toDeprecation(value: unknown): Change | undefined {
  const { deprecated, sunset, link = '/deprecation' } = toRecord(value);
  const [since = Number.NaN, until = Number.NaN] = [deprecated, sunset].map((text) =>
    new Date(text as string).getTime(),
  );
  if (Number.isNaN(since + until) || typeof link !== 'string' || !/^[!-;=?-~]+$/.test(link)) return undefined;
  const dates = {
    Deprecation: `@${Math.floor(since / 1000)}`,
    Sunset: new Date(until).toUTCString(),
    Link: `<${link.replaceAll('{', '{{')}>; rel="deprecation"`,
  };
  return (draft) => {
    const { all } = toRecord(draft.read('headers'));
    writeFields('headers', { all: { ...toRecord(all), ...dates } }, draft);
  };
}

/** The values of `idempotency` that an earlier version named differently. */
const renamed: ReadonlyMap<unknown, string> = new Map([
  ['on', 'replayed'],
  ['off', 'ignored'],
  ['conflictOnReplay', 'conflict'],
]);

/** Returns what a setting of an earlier version is now. Undefined for any other one, and for a value that it never had. */
function findChange(name: string, value: unknown): Change | undefined {
  if (Object.hasOwn(fields, name)) {
    const [setting, field] = fields[name as keyof typeof fields];
    const isEmpty = isRecord(value) && Object.keys(value).length === 0;
    return (draft) => writeFields(setting, { [field]: isEmpty ? undefined : value }, draft);
  }
  if (name === 'amountLimits' && isRecord(value)) return (draft) => writeFields('amounts', value, draft);
  if (name === 'deprecation') return value === 'none' ? none : toDeprecation(value);
  const isName = typeof value === 'string' || typeof value === 'number';
  return isName && Object.hasOwn(templates, name) ? templates[name]?.[value] : undefined;
}

/** Translates the settings and values of earlier versions. `base` is the profile that the given one changes. */
export function upgradeProfile(profile: object, base: object = {}): JsonObject {
  const own = new Map(Object.entries(profile).filter(([, value]) => value !== undefined));
  const draft: Draft = {
    own,
    read: (name) => own.get(name) ?? (base as JsonObject)[name],
    write: (name, value) => void own.set(name, value),
  };
  for (const [name, value] of own) {
    const change = findChange(name, value);
    if (change !== undefined) own.delete(name);
    change?.(draft);
  }
  leaveOutReview(draft);
  const idempotency = renamed.get(own.get('idempotency'));
  if (idempotency !== undefined) own.set('idempotency', idempotency);
  return Object.fromEntries(own);
}
