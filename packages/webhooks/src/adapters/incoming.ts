import type { CreateBodyError, WebhookRequest, WebhookResponse } from '../http.ts';
import type { Receiver } from '../receiver.ts';

/** The used members of an `IncomingMessage` of node:http and of the requests of frameworks that extend it. */
export interface IncomingLike {
  /** The HTTP method. Any other than POST receives 405. */
  readonly method?: string | undefined;
  /** The headers by lower-case name. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Whether the body was received completely. */
  readonly complete?: boolean;
  /** 1 or 2. Only a connection of HTTP/1 is closed after an incomplete read. */
  readonly httpVersionMajor?: number;
  /** Whether the connection or the stream ended early. */
  readonly destroyed?: boolean;
  /** Whether another reader has read the body. */
  readonly readableDidRead?: boolean;
  /** The body that a middleware read. Used if it is text or bytes. */
  readonly body?: unknown;
  /** The unparsed body that a middleware or platform kept. Preferred to `body`. */
  readonly rawBody?: unknown;
  /** Adds a listener of the body stream. */
  on(event: string, listener: (value: Uint8Array) => void): unknown;
  /** Removes a listener of the body stream. */
  off(event: string, listener: (value: Uint8Array) => void): unknown;
  /** Discards the rest of the body. */
  resume(): unknown;
}

/** The used members of a `ServerResponse` of node:http. */
export interface OutgoingLike {
  /** Whether another handler has responded. */
  readonly headersSent?: boolean;
  /** Sends the status and the headers. */
  writeHead(status: number, headers: Readonly<Record<string, string>>): unknown;
  /** Sends the body and ends the response. */
  end(body: string): unknown;
}

/** Passes a request of node:http to a receiver. */
export function deliverIncoming(
  receive: Receiver,
  incoming: IncomingLike,
  fix: string,
): Promise<WebhookResponse> {
  const { method = '', headers } = incoming;
  const read: WebhookRequest['read'] = (maxBytes, createError) => {
    // Read here: hosts can parse the body in a getter, which throws for invalid JSON.
    for (const buffered of [incoming.rawBody, incoming.body]) {
      if (typeof buffered === 'string' || buffered instanceof Uint8Array) return buffered;
    }
    if (incoming.readableDidRead) throw createError('body_not_raw', { message: fix });
    if (incoming.destroyed) throw createError('body_unreadable');
    if (Number(headers['content-length']) > maxBytes) throw createError('body_too_large');
    return readStream(incoming, maxBytes, createError);
  };
  // Node joins repeated headers with commas, which the verifier rejects as ambiguous.
  return receive.deliver({ method, headers, read });
}

/** Returns the headers of a response. Closes an HTTP/1 connection whose request was not read completely. */
export function createHeaders(
  { headers }: WebhookResponse,
  { complete, httpVersionMajor = 1 }: IncomingLike,
): WebhookResponse['headers'] {
  return complete === false && httpVersionMajor < 2 ? { ...headers, connection: 'close' } : headers;
}

/** A listener of node:http, also as a handler of frameworks that extend its requests. */
export type IncomingHandler = (request: IncomingLike, response: OutgoingLike) => Promise<void>;

/** Creates a listener that passes requests to a receiver. `fix` is the advice for a body that was parsed before. */
export function createListener(receive: Receiver, fix: string): IncomingHandler {
  return async (incoming, outgoing) => {
    const response = await deliverIncoming(receive, incoming, fix);
    // A timeout of the framework may have responded already. A second response would throw.
    if (outgoing.headersSent === true) return;
    outgoing.writeHead(response.status, createHeaders(response, incoming));
    outgoing.end(response.body);
  };
}

function readStream(
  incoming: IncomingLike,
  maxBytes: number,
  createError: CreateBodyError,
): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    let size = 0;
    const onFailure = (cause?: unknown): void => reject(createError('body_unreadable', { cause }));
    const onData = (chunk: Uint8Array | string): void => {
      const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
      size += bytes.length;
      if (size <= maxBytes) {
        chunks.push(bytes);
        return;
      }
      // The rest is discarded: a paused stream would keep its connection open.
      incoming.off('data', onData);
      incoming.resume();
      reject(createError('body_too_large'));
    };
    incoming.on('data', onData);
    incoming.on('end', () => {
      // 'close' follows each 'end'. Without the listener no unused error is created.
      incoming.off('close', onFailure);
      resolve(Buffer.concat(chunks));
    });
    incoming.on('error', onFailure);
    incoming.on('close', onFailure);
    // Earlier middleware may have paused the stream.
    incoming.resume();
  });
}
