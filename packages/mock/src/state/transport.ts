import type { FaultKind } from '../domain/fault.ts';

/** Names the ways into the service: a function in the same process, MSW's interception, or a socket. */
export type Transport = 'fetch' | 'msw' | 'http';

/**
 * Lists the faults that a way in can only come near to. A socket does them all for real, and an injected `fetch` gives its
 * caller what Node's own gives over a socket; MSW has one network error for all, which does not say what happened.
 */
const degradedFaults: Readonly<Record<Transport, readonly FaultKind[]>> = {
  http: [],
  fetch: [],
  msw: ['reset_before_commit', 'reset_after_commit', 'garbage'],
};

/** Tells whether a way in can only come near to a fault. */
export function isDegraded(way: Transport, kind: FaultKind): boolean {
  return degradedFaults[way].includes(kind);
}
