// A separate entry point, so that bundles for production do not contain it.
export { events, signedRequest } from './events.ts';
export type { EventParts, SignedRequestOptions, WireEvent } from './events.ts';
export { explain } from './explain.ts';
export type { ExplainOptions, Explanation } from './explain.ts';
export type { Hint, HintCode } from './hints.ts';
