import type { Instant } from '../domain/timestamp.ts';
import type { LoggedRequest } from '../state/logged-request.ts';
import type { MockRequest } from './request.ts';

/** Creates the log entry of a request. It does not reference the connection. */
export function createLoggedRequest(request: MockRequest, id: string, at: Instant): LoggedRequest {
  const headers = request.headers();
  return {
    id,
    at,
    transport: request.transport,
    method: request.method,
    path: request.path,
    search: request.search,
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
