/**
 * Code that the packages share. Bundled into each of them, never published.
 *
 * @module
 */
export { parseDurationText, type DurationUnit } from './duration.ts';
export { copyOwn, isRecord, type JsonObject, parseJson } from './json.ts';
export { isLoopback } from './loopback.ts';
export { describeUnknown } from './nearest.ts';
export { isPromise, type MaybePromise } from './promise.ts';
export { readBytes } from './read-bytes.ts';
export * from './schema.ts';
export * from './timers.ts';
