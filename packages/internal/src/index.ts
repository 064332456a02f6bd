/**
 * Code that the packages share. Bundled into each of them, never published.
 *
 * @module
 */
export { type BodySource, findStream, readBytes, readRest, toHex } from './bytes.ts';
export { type RunClock, runClock } from './clock.ts';
export { type Duration, type DurationUnit, parseDurationText, toMilliseconds } from './duration.ts';
export { computeExactFee, FEE_PARTS, findFeeRule, parseFeeRule, readPercent } from './fee-schedule.ts';
export { addColon, explainIsoTime, parseIsoTime, parseTimestamp } from './iso-time.ts';
export { copyOwn, isRecord, type JsonObject, parseJson, parseRecord, toRecord } from './json.ts';
export { isLoopback } from './loopback.ts';
export { CENT, type Micro, toMicro, writeCents, writeMicro } from './micro.ts';
export { describeUnknown, findNearest } from './nearest.ts';
export { type DeprecationDates, type Profile, profileSettings, statuses } from './profile.ts';
export * from './profile/behavior.ts';
export * from './profile/documented.ts';
export * from './profile/refusals.ts';
export {
  besideOperations,
  type BesideTemplates,
  firstPages,
  type HeaderTemplates,
  type IdForms,
  linkQueries,
  pagePositions,
  type PageTemplate,
  type RowTemplate,
  type TemplateSettings,
  type TimestampForm,
  rowKinds,
} from './profile/templates.ts';
export {
  defaultCurrencies,
  type FeeRule,
  feeRoundings,
  moneyDefaults,
  type MoneySettings,
  type RateMoves,
  type RateSettings,
  type RateTier,
} from './profile/money.ts';
export { createDeferred, type Deferred, isPromise, type MaybePromise, settleWithin } from './promise.ts';

export { redactKeys } from './redact.ts';
export { findRootCause, findSystemError } from './root-cause.ts';
export * from './schema.ts';
export {
  fillTemplate,
  listPlaceholders,
  type ObjectTemplate,
  type Placeholder,
  readCases,
  readEach,
  readPlaceholder,
  splitHeader,
  splitText,
  type Template,
  type TemplateItem,
  type TemplateScope,
} from './template.ts';
export { findValues, readMember } from './template-match.ts';
export { listRowPlaces, type PagePosition, readPath, readPosition, type RowPlace } from './page-reader.ts';
export { readRow, type RowFacts, type RowReading } from './row-reader.ts';
export {
  findTemplateProblems,
  MAX_PER_PAGE,
  MAX_RESPONSE_BYTES,
  pageNames,
  paymentNames,
  rowNames,
  type TemplateNames,
  zonePattern,
} from './template-names.ts';
export {
  dropHeaders,
  errorNames,
  eventHeaderNames,
  headerName,
  headerNames,
  headerText,
  isRefusedHeader,
  quoteNames,
  responseNames,
  templatePlaces,
} from './template-places.ts';
export * from './timers.ts';
