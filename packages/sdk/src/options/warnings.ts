import { redactText } from '../errors/redact.ts';

/** Names what a warning is about. */
export type WarningCode =
  | 'deprecated'
  | 'inexact_money'
  | 'other_amount'
  | 'unexpected_answer'
  | 'unreadable_row'
  | 'list_cut_short'
  | 'guard_failed'
  | 'guard_conflict';

/** Holds something that the caller should know although the call went well. */
export type Warning = { readonly code: WarningCode; readonly message: string };

/** Tells a warning where nobody has said who listens: as a process warning, which is what Node, Deno and Bun have for it. */
export function emitWarning({ code, message }: Warning): void {
  const { process } = globalThis as {
    process?: { emitWarning?: (message: string, options: object) => void };
  };
  process?.emitWarning?.(message, { type: 'ServiceWarning', code });
}

type Scope = { [deprecations]?: Set<string> };
const deprecations = Symbol.for('@service/sdk/deprecations');

/** Warns, once per process and service, that the version in use is deprecated (RFC 9745) or has an end (RFC 8594). */
export function warnOfDeprecation(
  headers: Headers,
  { baseUrl, warn }: { readonly baseUrl: string; readonly warn: (warning: Warning) => void },
): void {
  const since = headers.get('deprecation');
  const end = headers.get('sunset');
  if (since === null && end === null) return;
  const told = ((globalThis as Scope)[deprecations] ??= new Set());
  if (told.has(baseUrl)) return;
  told.add(baseUrl);
  // RFC 9745 writes a date as `@` and seconds.
  const date = since?.replace(/^@(\d{1,11})$/, (_, seconds: string) =>
    new Date(Number(seconds) * 1000).toUTCString(),
  );
  const when = [date && ` since ${date}`, end && ` and ends ${end}`].filter(Boolean).join(',');
  const more = /<([^>]*)>[^,]*;\s*rel="?(?:deprecation|sunset)\b/i.exec(headers.get('link') ?? '')?.[1];
  const message = `This version of the service is deprecated${when}.${more ? ` See ${more}.` : ''}`;
  warn({ code: 'deprecated', message: redactText(message) });
}
