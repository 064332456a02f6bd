import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { isValidSignature } from '@service/webhooks';

export interface Delivery {
  readonly at: number;
  readonly headers: Headers;
  readonly text: string;
  readonly isSigned: boolean;
  readonly event: string;
  readonly createdAt: number;
  readonly paymentId: string;
}

export interface Receiver extends InProcessReceiver, AsyncDisposable {
  readonly url: string;
}

interface WebhookBody {
  readonly event: string;
  readonly created_at: string;
  readonly data: { readonly id: string; readonly send_amount: unknown };
}

/** Amount of the payment whose first delivery is refused. */
export const REFUSED_AMOUNT = 7.77;

/** A receiver without a server. */
export interface InProcessReceiver {
  readonly deliveries: readonly Delivery[];
  /** Secret of the deliveries that come next. */
  secret: string;
  /** Records a webhook. Returns the status of the response. */
  readonly receive: (body: string, headers: Headers) => number;
}

/** Creates a receiver that refuses the first webhook of the payment of `REFUSED_AMOUNT`. */
export function createReceiver(now: () => number): InProcessReceiver {
  const deliveries: Delivery[] = [];
  let hasRefused = false;
  const receiver: InProcessReceiver = {
    deliveries,
    secret: '',
    receive(body, headers) {
      const { event, created_at, data } = JSON.parse(body) as WebhookBody;
      const isSigned = isValidSignature(body, headers.get('x-service-signature'), receiver.secret);
      const createdAt = Date.parse(created_at);
      deliveries.push({ at: now(), headers, text: body, isSigned, event, createdAt, paymentId: data.id });
      const isRefused = !hasRefused && Number(data.send_amount) === REFUSED_AMOUNT;
      hasRefused ||= isRefused;
      return isRefused ? 500 : 200;
    },
  };
  return receiver;
}

/** Receives webhooks. It refuses the first one of the payment of `REFUSED_AMOUNT`. */
export async function startReceiver(): Promise<Receiver> {
  const receiver = createReceiver(() => performance.now());
  const receive = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const headers = new Headers(request.headers as Record<string, string>);
    response.writeHead(receiver.receive(await text(request), headers)).end();
  };
  const server = createServer((request, response) => void receive(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return Object.assign(receiver, {
    url: `http://127.0.0.1:${port}/`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}
