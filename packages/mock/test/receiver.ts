import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { onTestFinished } from 'vitest';
import type { MockOptions } from '@service/mock';
import { listenAtFreePort } from '../../../test/support/listen.ts';
import { createStillMock } from './support.ts';

/** A request to a webhook receiver. */
export interface Received {
  event: string;
  body: string;
  signature: string;
  type: string;
  method: string;
}

/** Starts an HTTP receiver that responds with the given status, or with the result of a function. */
export async function startReceiver(
  answer: (received: Received, index: number) => number | Promise<number> = () => 200,
): Promise<{ url: string; received: Received[] }> {
  const received: Received[] = [];
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const one = await readDelivery(request);
    received.push(one);
    const status = await answer(one, received.length - 1);
    response.writeHead(status, status === 307 ? { location: '/elsewhere' } : {}).end();
  };
  const server = createServer((request, response) => void respond(request, response));
  const port = await listenAtFreePort(server);
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${port}/hooks`, received };
}

async function readDelivery(request: IncomingMessage): Promise<Received> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks).toString();
  const { event } = JSON.parse(body) as { event: string };
  const header = (name: string): string => String(request.headers[name]);
  return {
    event,
    body,
    signature: header('x-service-signature'),
    type: header('content-type'),
    method: request.method ?? '',
  };
}

/** A mock with a manual clock whose test-mode events go to an HTTP receiver. */
export async function setUp(
  answer?: (received: Received, index: number) => number | Promise<number>,
  options: MockOptions = {},
): Promise<ReturnType<typeof createStillMock> & { received: Received[]; secret: string; url: string }> {
  const still = createStillMock(options);
  const { url, received } = await startReceiver(answer);
  const { secret } = still.mock.sandbox.webhooks.setEndpoint({ url });
  onTestFinished(() => still.mock.close());
  return { ...still, received, secret, url };
}

export const names = (received: readonly { event: string }[]): string[] => received.map(({ event }) => event);
