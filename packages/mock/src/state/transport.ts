import { type FaultKind, hasNoResponse } from '../domain/fault.ts';

/** The transport of a request: an injected `fetch`, MSW handlers, or a socket. */
export type Transport = 'fetch' | 'msw' | 'http';

/**
 * Returns whether a transport cannot reproduce a fault exactly. A socket reproduces all; an injected `fetch`
 * throws the errors that Node's own throws; MSW has a single network error.
 */
export function isDegraded(transport: Transport, kind: FaultKind): boolean {
  return transport === 'msw' && hasNoResponse(kind);
}
