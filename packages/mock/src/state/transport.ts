import type { FaultKind } from '../domain/fault.ts';

/** The transport of a request: an injected `fetch`, MSW handlers, or a socket. */
export type Transport = 'fetch' | 'msw' | 'http';

/**
 * Faults that a transport cannot reproduce exactly. A socket reproduces all; an injected `fetch` throws the
 * errors that Node's own throws; MSW has a single network error.
 */
const degradedFaults: Readonly<Record<Transport, readonly FaultKind[]>> = {
  http: [],
  fetch: [],
  msw: ['reset_before_commit', 'reset_after_commit', 'garbage'],
};

/** Returns whether a transport cannot reproduce a fault exactly. */
export function isDegraded(transport: Transport, kind: FaultKind): boolean {
  return degradedFaults[transport].includes(kind);
}
