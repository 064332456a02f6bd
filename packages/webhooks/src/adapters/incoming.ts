import type { Answer } from '../answer.ts';
import type { RawBody } from '../bytes.ts';
import type { Receiver } from '../receiver.ts';
import { createRefusal, refuseParsed } from './refusal.ts';

/** Describes what is needed of an `IncomingMessage` of node:http, and of the frameworks that dress it up. */
export interface IncomingLike {
  readonly method?: string | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly complete?: boolean;
  readonly destroyed?: boolean;
  readonly readableDidRead?: boolean;
  readonly body?: unknown;
  readonly rawBody?: unknown;
  on(event: string, listener: (value: Uint8Array) => void): unknown;
  off(event: string, listener: (value: Uint8Array) => void): unknown;
  pause(): unknown;
}

/** Describes what is needed of a `ServerResponse` of node:http. */
export interface OutgoingLike {
  readonly headersSent?: boolean;
  writeHead(status: number, headers: Record<string, string>): unknown;
  end(body: string): unknown;
}

/** Passes a request of node:http to a receiver; `fix` says how to keep the framework's parser from the body. */
export function deliverIncoming(receive: Receiver, incoming: IncomingLike, fix: string): Promise<Answer> {
  const { method = '', headers } = incoming;
  // Node joins repeated headers by commas, which a verifier refuses as ambiguous.
  const read = (maxBytes: number): RawBody | Promise<RawBody> => readIncoming(incoming, maxBytes, fix);
  return receive.deliver({ method, headers, read });
}

/** Writes an answer; a connection whose request was not read to its end is closed. */
export function writeAnswer(
  outgoing: OutgoingLike,
  { status, headers, body }: Answer,
  { complete }: IncomingLike,
): void {
  // A timeout of the framework may have answered already; a second answer would throw.
  if (outgoing.headersSent === true) return;
  outgoing.writeHead(status, { ...headers, ...(complete === false && { connection: 'close' }) });
  outgoing.end(body);
}

function readIncoming(incoming: IncomingLike, maxBytes: number, fix: string): RawBody | Promise<RawBody> {
  for (const kept of [incoming.rawBody, incoming.body]) {
    if (typeof kept === 'string' || kept instanceof Uint8Array) return kept;
  }
  if (incoming.readableDidRead === true) throw refuseParsed(fix);
  if (incoming.destroyed === true) throw createRefusal('body_unreadable');
  if (Number(incoming.headers['content-length']) > maxBytes) throw refuseLarge();
  return readStream(incoming, maxBytes);
}

async function readStream(incoming: IncomingLike, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const listeners: [event: string, listener: (value: Uint8Array) => void][] = [];
  try {
    await new Promise<void>((resolve, reject) => {
      const onData = (chunk: Uint8Array | string): void => {
        const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
        chunks.push(bytes);
        size += bytes.byteLength;
        if (size > maxBytes) reject(refuseLarge());
      };
      const onGone = (cause?: unknown): void => reject(createRefusal('body_unreadable', '', cause));
      listeners.push(['error', onGone], ['close', onGone], ['end', () => resolve()], ['data', onData]);
      for (const [event, listener] of listeners) incoming.on(event, listener);
    });
  } finally {
    incoming.pause();
    // The listener of errors stays: one that nobody hears would end the process.
    for (const [event, listener] of listeners.slice(1)) incoming.off(event, listener);
  }
  return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
}

function refuseLarge(): Error {
  return createRefusal('body_too_large');
}
