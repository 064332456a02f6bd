import type { ObservedResponse, ObservedEvent, ScenarioResult } from './run.ts';

/** Headers that are omitted if a response has all of them. */
const defaultHeaders = { 'cache-control': 'no-store', 'content-type': 'application/json' };
const MAX_LENGTH = 300;

/** Formats the results of scenarios as text. */
export async function formatTranscript(
  all: readonly { name: string; result: ScenarioResult }[],
): Promise<string> {
  const parts = await Promise.all(
    all.map(async ({ name, result }) => {
      const responses = await Promise.all(result.responses.map(formatResponse));
      return [`## ${name}`, ...responses, ...result.events.map(formatEvent)].join('\n\n');
    }),
  );
  return `${parts.join('\n\n\n')}\n`;
}

async function formatResponse({
  call,
  status,
  headers,
  hasRequestId,
  text,
}: ObservedResponse): Promise<string> {
  const named = new Map(Object.entries(headers));
  const hasDefaultHeaders =
    status === 'lost' ||
    (hasRequestId && Object.entries(defaultHeaders).every(([name, value]) => named.get(name) === value));
  const listed = [...named]
    .filter(([name]) => !hasDefaultHeaders || !Object.hasOwn(defaultHeaders, name))
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  const lines = listed.map(([name, value]) => `${name}: ${value}`);
  return [
    call,
    `${status}${hasDefaultHeaders ? '' : ' (all headers)'}`,
    ...lines,
    ...(text === '' ? [] : [await shorten(text)]),
  ].join('\n');
}

function formatEvent({ body, signedBy }: ObservedEvent): string {
  return `an event signed by ${signedBy}\n${body}`;
}

/** Returns a long text as its start and its SHA-256 digest. */
async function shorten(text: string): Promise<string> {
  if (text.length <= MAX_LENGTH) return text;
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  const hex = Array.from(new Uint8Array(digest, 0, 8), (byte) => byte.toString(16).padStart(2, '0')).join('');
  return `${Array.from(text).slice(0, MAX_LENGTH).join('')}… ${text.length} characters, SHA-256 ${hex}…`;
}
