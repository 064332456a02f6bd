import type { Instant } from '../domain/wire.ts';
import type { LoggedRequest } from '../state/logged-request.ts';
import type { MockRequest } from './request.ts';

/** Opens the record of a call; it holds nothing that belongs to a connection. */
export function createLoggedRequest(call: MockRequest, id: string, at: Instant): LoggedRequest {
  const headers = call.headers();
  return {
    id,
    at,
    transport: call.transport,
    method: call.method,
    path: call.path,
    search: call.search,
    headers: Array.isArray(headers) ? headers : [...headers],
    operation: null,
    account: null,
    accountState: null,
    body: null,
    payment_id: null,
    fault: null,
    response: null,
    size: 0,
  };
}
