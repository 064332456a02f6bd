/**
 * Code that the packages share. Bundled into each of them, never published.
 *
 * @module
 */
export { type BodySource, findStream, readBytes, readRest, toHex } from './bytes.ts';
export { type RunClock, runClock } from './clock.ts';
export { type Duration, type DurationUnit, parseDurationText, toMilliseconds } from './duration.ts';
export {
  computeExactFee,
  FEE_PARTS,
  type FeeOrder,
  findFeeRule,
  parseFeeRule,
  readPercent,
} from './fee-schedule.ts';
export { addColon, explainIsoTime, parseIsoTime, parseTimestamp } from './iso-time.ts';
export { copyOwn, isRecord, type JsonObject, parseJson, parseRecord, toRecord } from './json.ts';
export { isLoopback } from './loopback.ts';
export { memoize } from './memoize.ts';
export { CENT, type Micro, toMicro, writeCents, writeMicro } from './micro.ts';
export { describeUnknown, findNearest } from './nearest.ts';
export * from './presets.ts';
export * from './profile.ts';
export {
  createDeferred,
  type Deferred,
  isPromise,
  type MaybePromise,
  settleWithin,
  Signal,
} from './promise.ts';
export { redactKeys } from './redact.ts';
export { findRootCause, findSystemError } from './root-cause.ts';
export * from './schema.ts';
export * from './template.ts';
export * from './template-names.ts';
export * from './template-places.ts';
export * from './timers.ts';
export * from './upgrade-profile.ts';
