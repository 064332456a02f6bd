import { isRecord, type JsonObject, toRecord } from './json.ts';
import { documentedEvent, namedErrors } from './presets.ts';
import type { RefusalTemplate } from './profile.ts';
import { type ObjectTemplate, readPlaceholder, type Template } from './template.ts';

/** The settings of earlier versions, with their values. They are accepted wherever a profile is. */
export interface EarlierSettings {
  /** An earlier form of `successStatus.createPayment`. */
  readonly createStatus: 201 | 200 | 202;
  /** An earlier form of `successStatus.createQuote`. */
  readonly quoteStatus: 200 | 201;
  /** An earlier form of `successStatus.replayPayment`. */
  readonly replayStatus: 'created' | 200;
  /** An earlier form of a `mode` in the template of `errorShape`. */
  readonly modeOn401: 'omit' | 'null' | 'guess';
  /** An earlier form of the `mode` of each rule of `fees`. */
  readonly feeMode: 'inside' | 'onTop' | 'inRate' | 'none';
  /** An earlier form of `debitAt.hold`. */
  readonly hold: 'reserve' | 'none';
  /** An earlier form of `refund.returned`. */
  readonly returnRefund: 'same' | 'full' | 'lessFee' | 'none';
  /** An earlier form of `under_review` in `extraStatuses`. */
  readonly unknownStatus: 'none' | 'invented';
  /** An earlier form of `{renewed_at}` in `eventShape`. */
  readonly redelivery: 'same' | 'newCreatedAt';
  /** An earlier form of `refusals.foreign_payment`. */
  readonly foreignPayment: 'not_found' | 'permission_error';
  /** An earlier form of `listQuery.page`. */
  readonly badPage: 'reject' | 'clamp' | 'default';
  /** An earlier form of `listQuery.pastEnd`. */
  readonly pastEnd: 'empty' | 'not_found';
  /** An earlier form of `listQuery.filter`. */
  readonly unknownFilter: 'reject' | 'empty' | 'ignore';
  /** An earlier form of `currencies.same`. */
  readonly sameCurrency: 'allow' | 'reject';
  /** An earlier form of `currencies.case`. */
  readonly currencyCase: 'strict' | 'normalise';
  /** An earlier form of `amounts.precision`. */
  readonly excessPrecision: 'reject' | 'round' | 'truncate' | 'roundQuotes' | 'truncateQuotes';
  /** An earlier form of `amounts.text`. */
  readonly amountText: 'reject' | 'accept';
  /** An earlier form of `amounts.minimum` and `amounts.maximum`. */
  readonly amountLimits: Record<'minimum' | 'maximum', string>;
  /** An earlier form of `texts.empty`. */
  readonly emptyText: 'reject' | 'keep' | 'absent';
  /** An earlier form of `texts.limit`. */
  readonly textLimit: number;
  /** An earlier form of `requestBody.mediaTypes`. */
  readonly mediaTypes: 'json' | 'any';
  /** An earlier form of `requestBody.unknownFields`. */
  readonly unknownFields: 'ignore' | 'reject';
  /** An earlier form of `requestBody.malformed` and `refusals.malformed_body`. */
  readonly malformedBody: 400 | 422 | 'empty';
  /** An earlier form of `requestBody.checked`. */
  readonly bodyChecked: 'afterKey' | 'beforeKey';
  /** An earlier form of the headers of `refusals.rate_limit`. */
  readonly rateLimitHeaders: 'x' | 'ietf' | 'none' | 'retryAfter';
  /** An earlier form of `paths.unknown`. */
  readonly unknownPath: 'authenticated' | 'public';
  /** An earlier form of `beside.all`. */
  readonly envelope: ObjectTemplate;
  /** An earlier form of `headers.event`. */
  readonly eventHeaders: { readonly [name: string]: string };
  /** An earlier form of `headers.all`. */
  readonly deprecation: 'none' | (Record<'deprecated' | 'sunset', string> & Partial<Record<'link', string>>);
}

/** A profile that is being translated: its own settings, or those of the profile that it changes. */
interface Draft {
  readonly read: (name: string) => unknown;
  readonly write: (name: string, value: unknown) => void;
}

/** Writes what an earlier setting is now. Writes an impossible value back, for the check of the profile. */
type Upgrade = (value: unknown, draft: Draft) => void;

/** The settings whose text or list is short for one of their fields. */
const shortFor: Readonly<Record<string, string>> = {
  debitAt: 'status',
  refund: 'failed',
  paths: 'similar',
  currencies: 'codes',
};

/** Changes one field of a setting. */
function field(setting: string, name: string): Upgrade {
  return (value, draft) => {
    const given = draft.read(setting);
    const short = shortFor[setting];
    const others = isRecord(given) || given === undefined || !short ? toRecord(given) : { [short]: given };
    draft.write(setting, { ...others, [name]: value });
  };
}

/** Changes the template of a refusal. Its own fields apply before those of `template`. */
function refuse(name: string, template: RefusalTemplate | undefined, { read, write }: Draft): void {
  const { [name]: own, ...others } = toRecord(read('refusals'));
  const isStated = toRecord(read('errorShape')).status !== undefined;
  const { status, ...rest } = template ?? {};
  const changed = { ...(status !== undefined && !isStated && { status }), ...rest, ...toRecord(own) };
  if (template === undefined && own === undefined) return;
  write('refusals', template === undefined ? others : { ...others, [name]: changed });
}

const limitHeaders: Readonly<Record<string, Readonly<Record<string, string | null>>>> = {
  x: {},
  retryAfter: { 'X-RateLimit-Limit': null, 'X-RateLimit-Remaining': null, 'X-RateLimit-Reset': null },
};
const ietfHeaders: Readonly<Record<string, string | null>> = {
  ...limitHeaders.retryAfter,
  'RateLimit-Policy': '"default";q={limit}',
  RateLimit: '"default";r={remaining};t={reset}',
};
const noHeaders = { 'Retry-After': null, ...limitHeaders.retryAfter };

/** Returns a template with other texts. */
function mapTexts(template: Template, change: (text: string) => Template): Template {
  if (typeof template === 'string') return change(template);
  if (Array.isArray(template)) return template.map((each: Template) => mapTexts(each, change));
  if (!isRecord(template)) return template;
  const entries = Object.entries(template as ObjectTemplate);
  return Object.fromEntries(entries.map(([name, each]) => [name, mapTexts(each, change)]));
}

/** Renames the value of placeholders. Leaves escaped braces as they are. */
function rename(template: Template, from: string, to: string): Template {
  const placeholder = new RegExp(`\\{\\{|\\{${from}(?=[ }])`, 'g');
  return mapTexts(template, (text) =>
    text.replaceAll(placeholder, (found) => (found === '{{' ? found : `{${to}`)),
  );
}

/** What became of each setting of an earlier version. */
const upgrades: Readonly<Record<Exclude<keyof EarlierSettings, 'unknownStatus'>, Upgrade>> = {
  createStatus: field('successStatus', 'createPayment'),
  quoteStatus: field('successStatus', 'createQuote'),
  replayStatus: field('successStatus', 'replayPayment'),
  hold: field('debitAt', 'hold'),
  returnRefund: field('refund', 'returned'),
  badPage: field('listQuery', 'page'),
  pastEnd: field('listQuery', 'pastEnd'),
  unknownFilter: field('listQuery', 'filter'),
  sameCurrency: field('currencies', 'same'),
  currencyCase: field('currencies', 'case'),
  excessPrecision: field('amounts', 'precision'),
  amountText: field('amounts', 'text'),
  amountLimits(value, draft) {
    if (!isRecord(value)) draft.write('amountLimits', value);
    else draft.write('amounts', { ...toRecord(draft.read('amounts')), ...value });
  },
  emptyText: field('texts', 'empty'),
  textLimit: field('texts', 'limit'),
  mediaTypes: field('requestBody', 'mediaTypes'),
  unknownFields: field('requestBody', 'unknownFields'),
  bodyChecked: field('requestBody', 'checked'),
  unknownPath: field('paths', 'unknown'),
  envelope: field('beside', 'all'),
  eventHeaders: field('headers', 'event'),
  malformedBody(value, draft) {
    const isOther = value !== 400 && value !== 422;
    field('requestBody', 'malformed')(isOther ? value : 'reject', draft);
    if (value === 400) return;
    const { malformed_body, malformed_key = malformed_body ?? {} } = toRecord(draft.read('refusals'));
    refuse('malformed_body', { status: 422, type: 'validation_error' }, draft);
    // Only the body had another status.
    draft.write('refusals', { ...toRecord(draft.read('refusals')), malformed_key });
  },
  foreignPayment(value, draft) {
    const message = 'The payment belongs to another account.';
    const refusal = { status: 403, type: 'permission_error', message };
    if (value !== 'not_found' && value !== 'permission_error') draft.write('foreignPayment', value);
    else refuse('foreign_payment', value === 'not_found' ? undefined : refusal, draft);
  },
  rateLimitHeaders(value, draft) {
    const headers = { ...limitHeaders, ietf: ietfHeaders, none: noHeaders }[String(value)];
    if (headers === undefined) return draft.write('rateLimitHeaders', value);
    const { rate_limit: refusal, ...others } = toRecord(draft.read('refusals'));
    const { headers: given, ...rest } = toRecord(refusal);
    // Without those of an earlier value.
    const own = Object.entries(toRecord(given)).filter(
      ([name, text]) => text !== null && text !== ietfHeaders[name],
    );
    draft.write('refusals', others);
    const all = { ...headers, ...(Object.fromEntries(own) as Record<string, string>) };
    if (Object.keys(all).length > 0 || Object.keys(rest).length > 0)
      refuse('rate_limit', { ...rest, ...(Object.keys(all).length > 0 && { headers: all }) }, draft);
  },
  modeOn401(value, draft) {
    if (value === 'omit') return;
    if (value !== 'null' && value !== 'guess') return draft.write('modeOn401', value);
    const noMode = { '{case mode}': { test: 'test', live: 'live', else: null } };
    const replace = (body: Template): Template =>
      value === 'guess'
        ? rename(body, 'mode', 'mode or=key_mode')
        : mapTexts(body, (text) => (readPlaceholder(text)?.name === 'mode' ? noMode : text));
    const given = draft.read('errorShape') ?? 'envelope';
    const shape = typeof given === 'string' ? namedErrors[given as 'envelope'] : toRecord(given);
    const { body = null, ...others } = { ...namedErrors.envelope, ...shape };
    draft.write('errorShape', { ...others, body: replace(body as Template) });
    const refusals = Object.entries(toRecord(draft.read('refusals'))).map(([name, refusal]) => {
      const { body: own } = toRecord(refusal);
      return [name, own === undefined ? refusal : { ...toRecord(refusal), body: replace(own as Template) }];
    });
    if (refusals.length > 0) draft.write('refusals', Object.fromEntries(refusals));
  },
  deprecation(value, draft) {
    const dates = value === 'none' ? {} : toDeprecationHeaders(toRecord(value));
    if (dates === undefined) return draft.write('deprecation', value);
    const { all, ...others } = toRecord(draft.read('headers'));
    const { Deprecation: _, Sunset: __, Link, ...kept } = toRecord(all);
    const isOther = typeof Link === 'string' && !Link.includes('rel="deprecation"');
    const changed = { ...kept, ...(isOther && { Link }), ...dates };
    if (all !== undefined || value !== 'none') draft.write('headers', { ...others, all: changed });
  },
  feeMode(value, draft) {
    const rules = draft.read('fees') ?? [{ percent: '0.5' }];
    const withMode = ({ mode: _, ...rule }: JsonObject): JsonObject =>
      value === 'inside' ? rule : { ...rule, mode: value };
    if (value === 'none') draft.write('fees', []);
    else if (Array.isArray(rules))
      draft.write(
        'fees',
        rules.map((rule) => withMode(toRecord(rule))),
      );
  },
  redelivery(value, draft) {
    const given = draft.read('eventShape') ?? 'documented';
    const shape = (given === 'documented' ? documentedEvent : given) as Template;
    if (value === 'newCreatedAt') draft.write('eventShape', rename(shape, 'at', 'renewed_at'));
    else if (value !== 'same') draft.write('redelivery', value);
    else if (given !== 'documented') draft.write('eventShape', rename(shape, 'renewed_at', 'at'));
  },
};

function toDeprecationHeaders({ deprecated, sunset, link = '/deprecation' }: JsonObject): object | undefined {
  const [since, until] = [deprecated, sunset].map((text) => new Date(text as string).getTime());
  const isLink = typeof link === 'string' && /^[!-;=?-~]+$/.test(link);
  if (Number.isNaN(Number(since) + Number(until)) || !isLink) return undefined;
  return {
    Deprecation: `@${Math.floor(Number(since) / 1000)}`,
    Sunset: new Date(Number(until)).toUTCString(),
    Link: `<${link.replaceAll('{', '{{')}>; rel="deprecation"`,
  };
}

const REVIEW = 'under_review';

/** Makes `under_review` an added status, which the setting `unknownStatus` turned on, and other settings named. */
function upgradeReview({ unknownStatus, events }: JsonObject, { read, write }: Draft): void {
  const added = read('extraStatuses') ?? [];
  const { [REVIEW]: duration, ...durations } = toRecord(read('durations'));
  if (duration !== undefined) write('durations', durations);
  const isSent = !Array.isArray(events) || events.includes(REVIEW);
  if (Array.isArray(events) && events.includes(REVIEW))
    write(
      'events',
      events.filter((each) => each !== REVIEW),
    );
  if (!Array.isArray(added)) return;
  const list: readonly JsonObject[] = added.map(toRecord);
  const known = list.find(({ status }) => status === REVIEW);
  const isAdded = unknownStatus === undefined ? known !== undefined : unknownStatus === 'invented';
  if (unknownStatus === undefined && duration === undefined) return;
  const review = {
    ...(known ?? { status: REVIEW, after: 'processing', ...(!isSent && { webhook: false }) }),
    ...(duration !== undefined && { duration }),
  };
  write('extraStatuses', [...list.filter((each) => each !== known), ...(isAdded ? [review] : [])]);
  if (unknownStatus !== undefined && unknownStatus !== 'none' && !isAdded)
    write('unknownStatus', unknownStatus);
}

/** The values of `idempotency` that an earlier version named differently. */
const renamed: ReadonlyMap<unknown, string> = new Map([
  ['on', 'replayed'],
  ['off', 'ignored'],
  ['conflictOnReplay', 'conflict'],
]);

/**
 * Translates the settings and values that earlier versions had. `base` is the profile that it changes: some settings are a part
 * of another one now.
 */
export function upgradeProfile(profile: object, base: object = {}): JsonObject {
  const given: JsonObject = Object.fromEntries(
    Object.entries(profile).filter(([, value]) => value !== undefined),
  );
  const isEarlier = (name: string): name is keyof typeof upgrades => Object.hasOwn(upgrades, name);
  const upgraded = new Map(
    Object.entries(given).filter(([name]) => !isEarlier(name) && name !== 'unknownStatus'),
  );
  const draft: Draft = {
    read: (name) => (upgraded.has(name) ? upgraded.get(name) : (base as JsonObject)[name]),
    write: (name, value) => void upgraded.set(name, value),
  };
  for (const [name, upgrade] of Object.entries(upgrades)) if (name in given) upgrade(given[name], draft);
  upgradeReview(given, draft);
  const { idempotency } = given;
  if (renamed.has(idempotency)) draft.write('idempotency', renamed.get(idempotency));
  return Object.fromEntries(upgraded);
}
