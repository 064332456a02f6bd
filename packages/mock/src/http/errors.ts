import { documentedRefusal, type RefusalExample, similarRefusals } from '@service/internal';
import { type ApiError, errorTypes } from '../domain/api-error.ts';
import { fillExample, fillText, type Value } from '../domain/example.ts';
import { checkSize, toJson } from '../domain/json.ts';
import type { refusalPlaceholders } from '../domain/placeholders.ts';
import { type Draft, mergeHeaders } from '../domain/response.ts';
import type { ResponseContext } from './request.ts';

/** The error of a service that fails without a known reason. */
export const serviceFailure: ApiError = { type: 'server_error', message: 'The service failed.' };

/** An error response. The service throws it and converts it to a response. */
export class HttpError extends Error {
  override readonly name = 'HttpError' as const;
  readonly error: ApiError;

  constructor(error: ApiError) {
    super(error.message);
    this.error = error;
  }
}

/** Creates an error response in the form of the profile (docs/contract.md#errors). */
export function errorResponse(error: ApiError, context: ResponseContext): Draft {
  const { mode, profile, request } = context;
  const { refusals } = profile;
  const refusal = error.refusal === undefined ? errorTypes[error.type].refusal : error.refusal;
  // The settings of the refusal, and of the fields that it leaves out those of a similar one and of all refusals.
  const own: RefusalExample =
    refusal === null
      ? (refusals.all ?? {})
      : { ...refusals.all, ...refusals[similarRefusals[refusal] ?? refusal], ...refusals[refusal] };
  const { body = documentedRefusal } = own;
  const status = error.fixed ?? own.status ?? error.status ?? errorTypes[error.type].status;
  const isPage = typeof body === 'string' && body.startsWith('<');
  const message = own.message ?? error.message;
  const values: Readonly<Record<keyof typeof refusalPlaceholders, Value>> = {
    type: own.type ?? error.type,
    message: isPage ? escapeHtml(message) : message,
    status,
    mode,
    request_id: request.id,
    now: new Date(request.at),
    path: isPage ? escapeHtml(request.path) : request.path,
  };
  const read = (name: string): Value => values[name as keyof typeof values];
  const removed = Object.entries(profile.headers.all ?? {}).filter(([, text]) => text === null);
  const headers = mergeHeaders(error.headers ?? {}, Object.fromEntries(removed));
  // A text is a body that is not JSON, such as an HTML page. An empty one is none.
  if (typeof body !== 'string') return { status, headers, body: toJson(fillExample(body, read, profile)) };
  if (body === '') return { status, headers, body: null };
  const type = { 'Content-Type': isPage ? 'text/html' : 'text/plain' };
  return { status, headers: { ...headers, ...type }, body: checkSize(fillText(body, read, profile) ?? '') };
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
