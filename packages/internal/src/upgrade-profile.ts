import { isRecord, type JsonObject } from './json.ts';

/** The settings, or fields of them, that settings of earlier versions are now. */
const moved = {
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
  amountLimits: 'amounts',
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

/** The names of the settings of earlier versions that a profile can have. */
export type EarlierSetting = keyof typeof moved;

/** The settings of earlier versions that are templates or lists now, by name: their defaults, which have no effect. */
const defaults: JsonObject = {
  deprecation: 'none',
  feeMode: 'inside',
  foreignPayment: 'not_found',
  malformedBody: 400,
  modeOn401: 'omit',
  rateLimitHeaders: 'x',
  redelivery: 'same',
  unknownStatus: 'none',
};

/** The templates and lists that have the effect of other values of these settings. */
export const replacedSettings: Readonly<Record<string, string>> = {
  deprecation: 'the headers Deprecation, Sunset and Link of `headers.all`',
  feeMode: '`mode` in each rule of `fees`, or `fees: []` without a fee',
  foreignPayment: '`refusals.foreign_payment`',
  malformedBody: '`refusals.malformed_body`, or `requestBody.malformed`',
  modeOn401: 'a `mode` in the `body` of `errorShape`',
  rateLimitHeaders: 'the `headers` of `refusals.rate_limit`',
  redelivery: '`{renewed_at}` in `eventShape`',
  unknownStatus: '`extraStatuses`',
};

/** The settings whose text or list is short for one of their fields. */
export const shortFields: Readonly<Record<string, string>> = {
  debitAt: 'status',
  refund: 'failed',
  paths: 'similar',
  currencies: 'codes',
};

/** The values of `idempotency` that an earlier version named differently. */
const renamed: ReadonlyMap<unknown, string> = new Map([
  ['on', 'replayed'],
  ['off', 'ignored'],
  ['conflictOnReplay', 'conflict'],
]);

/** The status of `unknownStatus`, which had places in other settings. */
const REVIEW = 'under_review';

/** Translates the settings and values of earlier versions. Those of `replacedSettings` stay, unless they have no effect. */
export function upgradeProfile(profile: object): JsonObject {
  const given = Object.entries(profile).filter(
    ([name, value]) => value !== undefined && !(Object.hasOwn(defaults, name) && defaults[name] === value),
  );
  const settings: JsonObject = Object.fromEntries(given);
  for (const [name, value] of given) {
    if (!Object.hasOwn(moved, name)) continue;
    delete settings[name];
    const [setting = '', field] = moved[name as EarlierSetting].split('.');
    const known = settings[setting];
    const fields = known === undefined || isRecord(known) ? known : { [shortFields[setting] ?? '']: known };
    const change = field === undefined ? value : { [field]: value };
    settings[setting] = isRecord(change) ? { ...fields, ...change } : change;
  }
  const { durations, events, idempotency } = settings;
  if (isRecord(durations) && REVIEW in durations) {
    const { [REVIEW]: _, ...others } = durations;
    settings.durations = others;
  }
  if (Array.isArray(events)) settings.events = events.filter((each) => each !== REVIEW);
  if (renamed.has(idempotency)) settings.idempotency = renamed.get(idempotency);
  return settings;
}
