import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setupServer } from 'msw/node';
import { setupServer as setupServer2 } from 'msw2/node';
import { vi } from 'vitest';
import { createHandlers } from '@service/mock/msw';
import { listen } from '@service/mock/node';
import { listenAtFreePort } from './support/listen.ts';
import {
  type Connection,
  globalFetch,
  type WebhookEndpoint,
  injected,
  type Receive,
  type Transport,
} from './transports.ts';
import type { Mock } from '@service/mock';

async function receiveOverHttp(receive: Receive): Promise<WebhookEndpoint> {
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const received = await receive(await toRequest(request));
    response.writeHead(received.status, Object.fromEntries(received.headers)).end(await received.text());
  };
  const server = createServer((request, response) => void respond(request, response));
  const port = await listenAtFreePort(server);
  const close = (): Promise<void> => new Promise((closed) => void server.close(() => closed()));
  return { url: `http://127.0.0.1:${port}/hooks`, options: {}, close };
}

async function toRequest(incoming: IncomingMessage): Promise<Request> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const headers = new Headers(incoming.headers as Record<string, string>);
  return new Request(`http://localhost${incoming.url}`, {
    method: incoming.method ?? '',
    headers,
    body: Buffer.concat(chunks),
  });
}

/** A host that does not exist: a request that MSW lets through reaches no server of the machine (RFC 6761, section 6.4). */
const interceptedUrl = 'https://payments.invalid/api/v1';

async function intercept(mock: Mock): Promise<Connection> {
  const server = setupServer(...createHandlers(mock, { baseUrl: interceptedUrl }));
  server.listen({ onUnhandledFrame: 'bypass' });
  return { baseUrl: interceptedUrl, fetch: globalFetch, close: async () => server.close() };
}

/** Imports the handlers again with msw 2 in place of msw. */
async function importForMsw2(): Promise<typeof createHandlers> {
  vi.resetModules();
  vi.doMock('msw', () => import('msw2'));
  try {
    return (await import('@service/mock/msw')).createHandlers;
  } finally {
    vi.doUnmock('msw');
    vi.resetModules();
  }
}

const handlersForMsw2 = importForMsw2();

async function interceptWithMsw2(mock: Mock): Promise<Connection> {
  const createHandlersForMsw2 = await handlersForMsw2;
  const server = setupServer2(...(createHandlersForMsw2(mock, { baseUrl: interceptedUrl }) as never[]));
  server.listen({ onUnhandledRequest: 'bypass' });
  return { baseUrl: interceptedUrl, fetch: globalFetch, close: async () => server.close() };
}

async function serveOverHttp(mock: Mock): Promise<Connection> {
  const { baseUrl, close } = await listen(mock, { port: 0 });
  return { baseUrl, fetch: globalFetch, close };
}

/** The transports of Node. */
export const transports: Transport[] = [
  { name: 'an injected fetch in Node', listen: receiveOverHttp, connect: injected },
  { name: 'MSW 3 in Node', listen: receiveOverHttp, connect: intercept },
  { name: 'MSW 2 in Node', listen: receiveOverHttp, connect: interceptWithMsw2 },
  { name: 'real HTTP', listen: receiveOverHttp, connect: serveOverHttp },
];
