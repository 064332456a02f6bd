import { isRecord, parseJson, toRecord } from '@service/internal';
import type { RawResponse } from './response.ts';

/** A request and its response, as a recording keeps them. */
export interface Exchange {
  /** The time of the request, ISO 8601. */
  readonly at: string;
  /** The time until the end of the response, in milliseconds. */
  readonly ms: number;
  /** The request as it was sent, with masked values. */
  readonly request: ExchangeRequest;
  /** Undefined if no complete response arrived. */
  readonly response?: ExchangeResponse;
  /** The reason for a missing or incomplete response. */
  readonly error?: string;
}

/** Headers and body of a message. */
export interface ExchangeMessage {
  /** The headers, with names in lowercase. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body if it is JSON. */
  readonly body?: unknown;
  /** The body if it is not JSON. */
  readonly text?: string;
  /** The size of a body that was not kept, in bytes. */
  readonly omitted?: number;
}

/** The method and the path of a request, with its headers and body. */
export interface ExchangeRequest extends ExchangeMessage {
  /** The method in capitals, such as `POST`. */
  readonly method: string;
  /** The path below the base URL, with the query. */
  readonly path: string;
}

/** The status of a response, with its headers and body. */
export interface ExchangeResponse extends ExchangeMessage {
  /** The HTTP status. */
  readonly status: number;
}

/** Formats an exchange as a line of a recording. */
export function formatExchange(exchange: Exchange): string {
  return `${JSON.stringify(exchange)}\n`;
}

/** Returns the exchanges of a recording. Skips other lines: the last one of an interrupted recording can be incomplete. */
export function parseRecording(text: string): readonly Exchange[] {
  return text.split('\n').map(parseJson).filter(isExchange);
}

function isExchange(value: unknown): value is Exchange {
  const { at, request, response = request } = toRecord(value);
  const { path, headers } = toRecord(request);
  const hasHeaders = isRecord(headers) && isRecord(toRecord(response).headers);
  return !Number.isNaN(Date.parse(String(at))) && typeof path === 'string' && hasHeaders;
}

/** Returns a body as JSON, or as text. */
export function toBody(text: string): Pick<ExchangeMessage, 'body' | 'text'> {
  const body = parseJson(text);
  if (body !== undefined) return { body };
  return text === '' ? {} : { text };
}

/** Converts a response to the form that the experiments read. */
export function toRawResponse({ status, headers, body, text }: ExchangeResponse): RawResponse {
  const { success, data } = toRecord(body);
  const accepted = status >= 200 && status < 300 && body !== undefined && success !== false;
  const received = new Headers();
  for (const [name, value] of Object.entries(headers))
    // Without the characters that a header cannot have, such as the ellipsis of a masked key.
    received.append(name, value.replaceAll(/[^\t\u0020-\u00FF]/g, '?'));
  return {
    status,
    headers: received,
    text: text ?? (body === undefined ? '' : JSON.stringify(body)),
    body,
    data: toRecord(data),
    accepted,
  };
}
