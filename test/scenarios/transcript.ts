import type { Answer, Event, Played } from './play.ts';

/** What an answer looks like whose headers are worth no line. */
const USUAL = { 'cache-control': 'no-store', 'content-type': 'application/json' };
const LONG = 300;

/** Writes down what was seen of scenarios, for people to read. */
export async function writeTranscript(all: readonly { name: string; played: Played }[]): Promise<string> {
  const parts = await Promise.all(
    all.map(async ({ name, played }) => {
      const answers = await Promise.all(played.answers.map(writeAnswer));
      return [`## ${name}`, ...answers, ...played.events.map(writeEvent)].join('\n\n');
    }),
  );
  return `${parts.join('\n\n\n')}\n`;
}

async function writeAnswer({ call, status, headers, hasRequestId, text }: Answer): Promise<string> {
  const named = new Map(Object.entries(headers));
  const isUsual =
    status === 'lost' ||
    (hasRequestId && Object.entries(USUAL).every(([name, value]) => named.get(name) === value));
  const shown = [...named]
    .filter(([name]) => !isUsual || !Object.hasOwn(USUAL, name))
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  const lines = shown.map(([name, value]) => `${name}: ${value}`);
  return [
    call,
    `${status}${isUsual ? '' : ' (unusual)'}`,
    ...lines,
    ...(text === '' ? [] : [await shorten(text)]),
  ].join('\n');
}

function writeEvent({ body, signedBy }: Event): string {
  return `an event signed by ${signedBy}\n${body}`;
}

/** Shows the start of a long text, and a digest of all of it. */
async function shorten(text: string): Promise<string> {
  if (text.length <= LONG) return text;
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  const hex = Array.from(new Uint8Array(digest, 0, 8), (byte) => byte.toString(16).padStart(2, '0')).join('');
  return `${Array.from(text).slice(0, LONG).join('')}… ${text.length} characters, SHA-256 ${hex}…`;
}
