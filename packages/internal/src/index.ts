/**
 * Code that the packages share. Bundled into each of them, never published.
 *
 * @module
 */
export * from './bytes.ts';
export * from './clock.ts';
export * from './duration.ts';
export * from './example.ts';
export * from './fee-schedule.ts';
export * from './field-text.ts';
export * from './iso-time.ts';
export * from './json.ts';
export * from './loopback.ts';
export * from './memoize.ts';
export * from './micro.ts';
export * from './nearest.ts';
export * from './presets.ts';
export * from './profile.ts';
export * from './promise.ts';
export * from './redact.ts';
export * from './root-cause.ts';
export * from './schema.ts';
export * from './server.ts';
export * from './signature-hints.ts';
export * from './timers.ts';
