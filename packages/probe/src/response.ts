import { type JsonObject, toRecord } from '@service/internal';

/** A response as received. */
export interface RawResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The parsed body; undefined if it is not JSON. */
  readonly body: unknown;
  /** The fields of `data`; empty if there are none. */
  readonly data: JsonObject;
  /** Whether the operation succeeded: a 2xx with JSON whose `success` is not false. */
  readonly accepted: boolean;
}

const MAX_VALUE_LENGTH = 80;

/** Formats a value of a response as JSON, truncated to fit a line. */
export function formatValue(value: unknown): string {
  const text = JSON.stringify(value) ?? 'absent';
  return text.length > MAX_VALUE_LENGTH ? `${text.slice(0, MAX_VALUE_LENGTH)}…` : text;
}

/** Returns true for a 4xx: the service rejected the request itself. */
export function isRefusal({ status }: RawResponse): boolean {
  return status >= 400 && status < 500;
}

/** Formats the status of a response and the type of its error. */
export function describeResponse({ status, body }: RawResponse): string {
  const { type } = toRecord(toRecord(body).error);
  return typeof type === 'string' ? `${status} ${type.slice(0, MAX_VALUE_LENGTH)}` : String(status);
}
