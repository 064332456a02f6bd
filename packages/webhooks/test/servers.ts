import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { serve } from '@hono/node-server';
import express from 'express';
import express4 from 'express4';
import { fastify } from 'fastify';
import { Hono } from 'hono';
import type { Receiver } from '@service/webhooks';
import { toExpress } from '@service/webhooks/express';
import { toFastify } from '@service/webhooks/fastify';
import { toHono } from '@service/webhooks/hono';
import { toLambda } from '@service/webhooks/lambda';
import { toNode } from '@service/webhooks/node';
import type { IncomingLike, OutgoingLike } from '@service/webhooks/node';
import { fromLambda } from './lambda-gateway.ts';
import { toNextListener } from './next-app.ts';

export interface RunningServer {
  readonly port: number;
  readonly close: () => Promise<void>;
}

export interface Framework {
  readonly name: string;
  readonly listen: (receive: Receiver) => Promise<RunningServer>;
  /** Starts a server whose parser reads the body before the receiver. */
  readonly listenParsed: (receive: Receiver) => Promise<RunningServer>;
  /** The remedy in the error message. */
  readonly fix: RegExp;
}

/** Waits until a server listens. */
async function toRunning(server: Server): Promise<RunningServer> {
  await once(server, 'listening');
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  return { port: (server.address() as AddressInfo).port, close };
}

type Listener = (request: IncomingMessage, response: ServerResponse) => unknown;

const listenWith = (listener: Listener): Promise<RunningServer> =>
  toRunning(createServer((request, response) => void listener(request, response)).listen(0, '127.0.0.1'));

type NodeHandler = (request: IncomingLike, response: OutgoingLike) => unknown;

/** Adds a body parser to a handler. */
function withParser(handler: NodeHandler): Listener {
  return async (request, response) => {
    const body: unknown = JSON.parse((await text(request)) || 'null');
    await handler(Object.assign(request, { body }), response);
  };
}

function runExpress(create: typeof express): Pick<Framework, 'listen' | 'listenParsed'> {
  return {
    listen: (receive) => {
      const app = create();
      app.all('/webhooks', toExpress(receive));
      app.use(create.json());
      return listenWith(app);
    },
    listenParsed: (receive) => {
      const app = create();
      app.use(create.json());
      app.all('/webhooks', toExpress(receive));
      return listenWith(app);
    },
  };
}

async function listenFastify(receive: Receiver, isParsed: boolean): Promise<RunningServer> {
  const app = fastify();
  if (isParsed) {
    app.addHook('onRequest', async ({ raw }) => {
      for await (const chunk of raw) void chunk;
    });
  }
  app.post('/other', async ({ body }) => body);
  await app.register(toFastify(receive), { path: '/webhooks' });
  await app.listen({ port: 0, host: '127.0.0.1' });
  const close = async (): Promise<void> => {
    app.server.closeAllConnections();
    await app.close();
  };
  return { port: (app.server.address() as AddressInfo).port, close };
}

async function listenHono(receive: Receiver, isParsed: boolean): Promise<RunningServer> {
  const app = new Hono();
  if (isParsed) {
    app.use(async (context, next) => {
      await context.req.raw.json();
      await next();
    });
  }
  app.all('/webhooks', toHono(receive));
  return toRunning(serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }) as Server);
}

/** The frameworks, each over real HTTP. */
export const frameworks: readonly Framework[] = [
  { name: 'Express 5', fix: /before app\.use\(express\.json\(\)\)/, ...runExpress(express) },
  { name: 'Express 4', fix: /before app\.use\(express\.json\(\)\)/, ...runExpress(express4) },
  {
    name: 'Fastify 5',
    fix: /Remove the hook/,
    listen: (receive) => listenFastify(receive, false),
    listenParsed: (receive) => listenFastify(receive, true),
  },
  {
    name: 'Hono',
    fix: /c\.req\.arrayBuffer\(\)/,
    listen: (receive) => listenHono(receive, false),
    listenParsed: (receive) => listenHono(receive, true),
  },
  {
    name: 'Next, app router',
    fix: /request\.clone\(\)/,
    listen: (receive) => listenWith(toNextListener(receive, 'app')),
    listenParsed: (receive) => listenWith(toNextListener(receive, 'app-parsed')),
  },
  {
    name: 'Next, pages router',
    fix: /bodyParser: false/,
    listen: (receive) => listenWith(toNextListener(receive, 'api/pages')),
    listenParsed: (receive) => listenWith(toNextListener(receive, 'api/pages-parsed')),
  },
  {
    name: 'node:http',
    fix: /before any code reads/,
    listen: (receive) => listenWith(toNode(receive)),
    listenParsed: (receive) => listenWith(withParser(toNode(receive))),
  },
  ...(['v1', 'v2', 'alb', 'alb with lists'] as const).map((form): Framework => ({
    name: `Lambda ${form}`,
    fix: /httpJsonBodyParser/,
    listen: (receive) => listenWith(fromLambda(toLambda(receive), { form })),
    listenParsed: (receive) => listenWith(fromLambda(toLambda(receive), { form, isParsed: true })),
  })),
];
