import type { Mode } from '@service/contract';
import type { Profile } from '../domain/profile.ts';
import type { ApiError } from '../domain/api-error.ts';
import { toJson } from '../domain/json.ts';

/** The body and headers of an error response. */
export interface RenderedError {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The status, mode and shape of an error response. */
export interface ErrorContext {
  readonly status: number;
  /** Undefined omits the field. */
  readonly mode: Mode | null | undefined;
  readonly shape: Profile['errorShape'];
}

/**
 * Serializes an error as the failure envelope or in another shape of the profile (docs/contract.md#errors).
 */
export function renderError({ type, message, fields }: ApiError, context: ErrorContext): RenderedError {
  const { status, mode, shape } = context;
  if (shape === 'bare') return { body: toJson({ message }), headers: {} };
  if (shape === 'html') return { body: toHtml(status, message), headers: { 'Content-Type': 'text/html' } };
  const lists = shape === 'extra' ? { fields: toLists(fields), status } : {};
  return { body: toJson({ success: false, mode, error: { type, message, ...lists } }), headers: {} };
}

function toLists(fields: ReadonlyMap<string, string> = new Map()): Readonly<Record<string, string[]>> {
  return Object.fromEntries(Array.from(fields, ([field, problem]) => [field, [problem]]));
}

function toHtml(status: number, message: string): string {
  const text = message.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return `<!doctype html><html><head><title>${status}</title></head><body><h1>${status}</h1><p>${text}</p></body></html>`;
}
