import { redactKeys } from '@service/internal';

const secretHeaders = new Set(['authorization', 'cookie', 'proxy-authorization', 'x-api-key']);

/** Redacts a header by its lower-case name: secret headers completely, others only API keys. */
export function redactHeader(name: string, value: string): string {
  return secretHeaders.has(name) ? '[redacted]' : redactKeys(value);
}
