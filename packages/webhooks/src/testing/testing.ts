// A separate entry point, so that bundles for production do not contain it.
export { events } from './events.ts';
export type { EventParts, WireEvent } from './events.ts';
export { explain } from './explain.ts';
export type { ExplainOptions, Explanation } from './explain.ts';
export type { Hint, HintCode } from './hints.ts';
export { signedRequest } from './signed-request.ts';
export type { SignedRequestOptions } from './signed-request.ts';
