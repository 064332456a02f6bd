/**
 * Measures how a service of the payments API behaves where its document leaves a choice. Runs in every runtime
 * with `fetch`.
 *
 * @module
 */
export type { RunClock as ProbeClock } from '@service/internal';
export { compareProfile, type ProfileComparison, type ProfileDifference } from './compare.ts';
export type { Finding, MeasuredProfile, ProfileSetting } from './finding.ts';
export type { ProbeConnection, ProbeOptions } from './options.ts';
export { probe, type ProbeResult } from './probe.ts';
export type { WebhookSink, WebhookSource } from './recorder.ts';
