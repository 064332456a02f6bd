import type { Mode } from '@service/contract';
import type { Profile } from '../domain/profile.ts';
import type { ApiError } from '../domain/api-error.ts';
import { toJson } from '../domain/json.ts';

/** Holds a refusal as its body says it. */
export interface RenderedError {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Says in which terms a refusal is shown. */
export interface ErrorContext {
  readonly status: number;
  /** Left out of the body where undefined. */
  readonly mode: Mode | null | undefined;
  readonly shape: Profile['errorShape'];
}

/** Shows a refusal: as the failure envelope of spec §7, or in another shape of a profile (contract.md 8). */
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
