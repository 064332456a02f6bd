// A separate entry point, so that bundles for production do not contain it.
export { events, signedRequest } from './events.ts';
export type { EventParts, SignedRequestOptions, WireEvent } from './events.ts';
