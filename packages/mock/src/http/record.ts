import type { Instant } from '../domain/wire.ts';
import type { RequestRecord } from '../world/request-record.ts';
import type { Call } from './call.ts';

/** Opens the record of a call; it holds nothing that belongs to a connection. */
export function openRecord(call: Call, id: string, at: Instant): RequestRecord {
  const headers = call.headers();
  return {
    id,
    at,
    way: call.way,
    method: call.method,
    path: call.path,
    search: call.search,
    headers: Array.isArray(headers) ? headers : [...headers],
    operation: null,
    account: null,
    books: null,
    body: null,
    payment_id: null,
    fault: null,
    answer: null,
    size: 0,
  };
}
