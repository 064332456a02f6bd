import type { Mock } from '@service/mock';
import type { Connection } from '../transports.ts';
import { order } from './scenario.ts';

/**
 * A rejection, or a response with its Content-Type and its body. The body is 'complete', 'cut off', 'stalled', or the text
 * of another body.
 */
export type Observation = { rejects: string } | { status: number; type: string | null; body: string };

/** An observation, with a pattern of the body where its text depends on the transport. */
export type ExpectedObservation = Observation | { status: number; type: string | null; body: RegExp };

/** An observation with the received part of the body and the headers. */
export interface ObservedCreate {
  observation: Observation;
  text: string;
  headers: Record<string, string>;
}

/** The response body without a fault, and whether the fault stalls the body. */
export interface Expectation {
  completeBody: string;
  isStalled: boolean;
}

/** Creates a payment and returns its response. */
export async function payAndObserve(
  mock: Mock,
  { baseUrl, fetch }: Connection,
  { completeBody, isStalled }: Expectation,
): Promise<ObservedCreate> {
  const controller = new AbortController();
  const headers = { 'content-type': 'application/json', 'x-api-key': mock.account.testKey };
  const body = JSON.stringify(order());
  const init = { method: 'POST', headers, body, signal: controller.signal };
  const response = await fetch(`${baseUrl}/payments`, init).catch((error: unknown) => formatError(error));
  if (typeof response === 'string') return { observation: { rejects: response }, text: '', headers: {} };
  const { text, ending } = isStalled
    ? await readUntilSilent(response, () => fetch(`${baseUrl}/balance`, { headers }))
    : await readToTheEnd(response);
  controller.abort();
  const observation: Observation = {
    status: response.status,
    type: response.headers.get('content-type'),
    body: ending ?? (text === completeBody ? 'complete' : text),
  };
  return { observation, text, headers: listHeaders(response) };
}

interface ReceivedBody {
  text: string;
  ending?: 'cut off' | 'stalled';
}

async function readToTheEnd({ body }: Response): Promise<ReceivedBody> {
  const reader = body?.getReader();
  const decoder = new TextDecoder();
  let text = '';
  for (;;) {
    const chunk = await reader?.read().catch(() => 'failed' as const);
    if (chunk === 'failed') return { text, ending: 'cut off' };
    if (chunk === undefined || chunk.done) return { text };
    text += decoder.decode(chunk.value, { stream: true });
  }
}

/** Reads the first chunk, and checks that no other chunk arrives before the response of a second request. */
async function readUntilSilent({ body }: Response, callOnce: () => Promise<Response>): Promise<ReceivedBody> {
  const reader = body!.getReader();
  const text = new TextDecoder().decode((await reader.read()).value);
  let isSilent = true;
  void reader.read().then(
    () => (isSilent = false),
    () => (isSilent = false),
  );
  await (await callOnce()).text();
  return isSilent ? { text, ending: 'stalled' } : { text };
}

function formatError(error: unknown): string {
  const { name, cause } = error as { name: string; cause?: Error & { code?: string } };
  if (!(cause instanceof Error)) return name;
  // Some versions of Node give the errors of the HTTP parser no code.
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
