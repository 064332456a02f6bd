/**
 * Code that the packages share. Bundled into each of them, never published.
 *
 * @module
 */
export { readBytes, readRest, toHex } from './bytes.ts';
export { type RunClock, runClock } from './clock.ts';
export { parseDurationText, type DurationUnit } from './duration.ts';
export { addColon, explainIsoTime, parseIsoTime } from './iso-time.ts';
export { copyOwn, isRecord, type JsonObject, parseJson, parseRecord, toRecord } from './json.ts';
export { isLoopback } from './loopback.ts';
export { CENT, type Micro, toMicro, writeCents, writeMicro } from './micro.ts';
export { describeUnknown } from './nearest.ts';
export { type DeprecationDates, type Profile, profileSettings, statuses } from './profile.ts';
export { createDeferred, type Deferred, isPromise, type MaybePromise } from './promise.ts';

export { redactKeys } from './redact.ts';
export { findRootCause } from './root-cause.ts';
export * from './schema.ts';
export * from './timers.ts';
export { createTurns, type TakeTurn } from './turns.ts';
