import type { Answer } from '../answer.ts';
import type { Delivery, Receiver, Refuse } from '../receiver.ts';

/** Describes what is needed of an `IncomingMessage` of node:http, and of the frameworks that dress it up. */
export interface IncomingLike {
  readonly method?: string | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly complete?: boolean;
  readonly httpVersionMajor?: number;
  readonly destroyed?: boolean;
  readonly readableDidRead?: boolean;
  readonly body?: unknown;
  readonly rawBody?: unknown;
  on(event: string, listener: (value: Uint8Array) => void): unknown;
  off(event: string, listener: (value: Uint8Array) => void): unknown;
  resume(): unknown;
}

/** Describes what is needed of a `ServerResponse` of node:http. */
export interface OutgoingLike {
  readonly headersSent?: boolean;
  writeHead(status: number, headers: Readonly<Record<string, string>>): unknown;
  end(body: string): unknown;
}

/** Passes a request of node:http to a receiver; `fix` says how to keep the framework's parser from the body. */
export function deliverIncoming(receive: Receiver, incoming: IncomingLike, fix: string): Promise<Answer> {
  const { method = '', headers, rawBody, body } = incoming;
  const read: Delivery['read'] = (maxBytes, refuse) => {
    for (const kept of [rawBody, body]) {
      if (typeof kept === 'string' || kept instanceof Uint8Array) return kept;
    }
    if (incoming.readableDidRead) throw refuse('body_not_raw', { message: fix });
    if (incoming.destroyed) throw refuse('body_unreadable');
    if (Number(headers['content-length']) > maxBytes) throw refuse('body_too_large');
    return readStream(incoming, maxBytes, refuse);
  };
  // Node joins repeated headers by commas, which a verifier refuses as ambiguous.
  return receive.deliver({ method, headers, read });
}

/** Lists the headers of an answer; a connection of HTTP/1 whose request was not read to its end is closed. */
export function listHeaders(
  { headers }: Answer,
  { complete, httpVersionMajor = 1 }: IncomingLike,
): Answer['headers'] {
  return complete === false && httpVersionMajor < 2 ? { ...headers, connection: 'close' } : headers;
}

/** Handles a request of node:http by a receiver. */
export async function handleIncoming(
  receive: Receiver,
  { incoming, outgoing, fix }: { incoming: IncomingLike; outgoing: OutgoingLike; fix: string },
): Promise<void> {
  const answer = await deliverIncoming(receive, incoming, fix);
  // A timeout of the framework may have answered already; a second answer would throw.
  if (outgoing.headersSent === true) return;
  outgoing.writeHead(answer.status, listHeaders(answer, incoming));
  outgoing.end(answer.body);
}

function readStream(incoming: IncomingLike, maxBytes: number, refuse: Refuse): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    let size = 0;
    const onGone = (cause?: unknown): void => reject(refuse('body_unreadable', { cause }));
    const onData = (chunk: Uint8Array | string): void => {
      const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
      size += bytes.length;
      if (size <= maxBytes) {
        chunks.push(bytes);
        return;
      }
      // Nothing more is kept, and the rest flows off: a stream that stands still would hold its connection.
      incoming.off('data', onData);
      incoming.resume();
      reject(refuse('body_too_large'));
    };
    incoming.on('data', onData);
    incoming.on('end', () => {
      // An error that nobody hears of costs as much as one that is told.
      incoming.off('close', onGone);
      resolve(Buffer.concat(chunks));
    });
    incoming.on('error', onGone);
    incoming.on('close', onGone);
    // Something may have paused it before.
    incoming.resume();
  });
}
