import type { Mock } from '@service/mock';
import type { Access } from '../ways.ts';
import { order } from './scenario.ts';

/**
 * What a caller sees of a call that something goes wrong with: a rejection, or an answer with its Content-Type and with its
 * body, or what can be said of that: 'whole', 'a part, then it breaks off' or 'a part, then nothing more'.
 */
export type Sight = { rejects: string } | { status: number; type: string | null; body: string };

/** What was seen, with the text as far as it came and the headers. */
export type Seen = { sight: Sight; text: string; headers: Record<string, string> };

/** Says what to look at: the answer as it is without a fault, and whether it is one that never ends. */
export type Expectation = { whole: string; isEndless: boolean };

/** Makes a payment and looks at what comes back. */
export async function payAndLook(
  mock: Mock,
  { baseUrl, fetch }: Access,
  { whole, isEndless }: Expectation,
): Promise<Seen> {
  const giveUp = new AbortController();
  const headers = { 'content-type': 'application/json', 'x-api-key': mock.account.testKey };
  const body = JSON.stringify(order());
  const init = { method: 'POST', headers, body, signal: giveUp.signal };
  const response = await fetch(`${baseUrl}/payments`, init).catch((error: unknown) => nameOf(error));
  if (typeof response === 'string') return { sight: { rejects: response }, text: '', headers: {} };
  const { text, ending } = isEndless
    ? await readUntilSilent(response, () => fetch(`${baseUrl}/balance`, { headers }))
    : await readToTheEnd(response);
  giveUp.abort();
  const sight: Sight = {
    status: response.status,
    type: response.headers.get('content-type'),
    body: ending ?? (text === whole ? 'whole' : text),
  };
  return { sight, text, headers: listHeaders(response) };
}

type ReadOut = { text: string; ending?: 'a part, then it breaks off' | 'a part, then nothing more' };

async function readToTheEnd({ body }: Response): Promise<ReadOut> {
  const reader = body?.getReader();
  const decoder = new TextDecoder();
  let text = '';
  for (;;) {
    const part = await reader?.read().catch(() => 'broken off' as const);
    if (part === 'broken off') return { text, ending: 'a part, then it breaks off' };
    if (part === undefined || part.done) return { text };
    text += decoder.decode(part.value, { stream: true });
  }
}

/** Reads what comes at once; by the time that another call has been answered, more would have come. */
async function readUntilSilent({ body }: Response, callOnce: () => Promise<Response>): Promise<ReadOut> {
  const reader = body!.getReader();
  const text = new TextDecoder().decode((await reader.read()).value);
  let isSilent = true;
  void reader.read().then(
    () => (isSilent = false),
    () => (isSilent = false),
  );
  await (await callOnce()).text();
  return isSilent ? { text, ending: 'a part, then nothing more' } : { text };
}

function nameOf(error: unknown): string {
  const { name, cause } = error as { name: string; cause?: Error & { code?: string } };
  if (!(cause instanceof Error)) return name;
  // Not every version of Node gives its parser's errors a code.
  return `${name}, ${cause.name === 'Error' ? cause.code : cause.name}`;
}

function listHeaders({ headers }: Response): Record<string, string> {
  const names = [
    'allow',
    'www-authenticate',
    'retry-after',
    'cache-control',
    'x-ratelimit-limit',
    'x-ratelimit-remaining',
    'x-ratelimit-reset',
  ];
  return Object.fromEntries(names.flatMap((name) => (headers.has(name) ? [[name, headers.get(name)!]] : [])));
}
