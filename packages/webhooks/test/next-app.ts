import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { createReceiver } from '@service/webhooks';
import type { Receiver } from '@service/webhooks';
import { listenAtFreePort } from '../../../test/support/listen.ts';

/** A route of the Next app: app router or pages router, also with a body that was parsed before. */
export type NextRoute = (typeof ROUTES)[number];

const ROUTES = ['app', 'app-parsed', 'api/pages', 'api/pages-parsed'] as const;

type Listener = (request: IncomingMessage, response: ServerResponse) => Promise<unknown>;

/** The used part of Next. Its own types would change those of `process` in every test. */
type CreateNext = (options: { dev: boolean; dir: string }) => {
  readonly prepare: () => Promise<void>;
  readonly getRequestHandler: () => Listener;
  readonly close: () => Promise<void>;
};

/** The files of the Next app. A global passes receivers to its routes. */
const files: Readonly<Record<string, string>> = {
  'package.json': '{ "private": true, "type": "module" }',
  'next.config.js': 'export default { logging: false, devIndicators: false };',
  'app/layout.js': 'export default function Layout({ children }) { return children; }',
  'app/app/[id]/route.js': `
    import { toAppRouter } from '@service/webhooks/next';
    const handle = async (request, { params }) => toAppRouter(globalThis.receivers.get((await params).id))(request);
    export { handle as POST, handle as PUT, handle as PATCH };`,
  'app/app-parsed/[id]/route.js': `
    import { toAppRouter } from '@service/webhooks/next';
    export const POST = async (request, { params }) => {
      await request.json();
      return toAppRouter(globalThis.receivers.get((await params).id))(request);
    };`,
  'pages/api/pages/[id].js': `
    import { toPagesRouter } from '@service/webhooks/next';
    export const config = { api: { bodyParser: false } };
    export default (request, response) => toPagesRouter(globalThis.receivers.get(request.query.id))(request, response);`,
  'pages/api/pages-parsed/[id].js': `
    import { toPagesRouter } from '@service/webhooks/next';
    export default (request, response) => toPagesRouter(globalThis.receivers.get(request.query.id))(request, response);`,
};

const root = join(import.meta.dirname, '../../..');
const receivers = new Map<string, Receiver>();
let handle: Listener = () => Promise.reject(new Error('Next was not started: call startNext() first.'));

/**
 * Starts Next over the built package and compiles every route, which it logs. Returns the function that stops
 * it.
 */
export async function startNext(): Promise<() => Promise<void>> {
  if (!existsSync(join(root, 'packages/webhooks/dist'))) {
    throw new Error('Next loads the built package: run npm run build first.');
  }
  Object.assign(globalThis, { receivers });
  process.env.NEXT_TELEMETRY_DISABLED = '1';
  // Within the project: Next resolves packages from there.
  const folder = mkdtempSync(join(root, 'test/next/node_modules/.next-app-'));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  const next = createRequire(join(root, 'test/next/package.json'))('next') as CreateNext;
  const app = next({ dev: true, dir: folder });
  await app.prepare();
  handle = app.getRequestHandler();
  await Promise.all(ROUTES.map(compile));
  return async () => {
    await app.close();
    rmSync(folder, { recursive: true, force: true });
  };
}

async function compile(route: NextRoute): Promise<void> {
  const receive = createReceiver({ secrets: 'unused', on: {}, fallback: () => {}, onError: () => {} });
  const server = createServer((request, response) => void toNextListener(receive, route)(request, response));
  const port = await listenAtFreePort(server);
  await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: '{}', headers: { connection: 'close' } });
  server.close();
  await once(server, 'close');
}

/** Creates a listener of node:http for one receiver at one route of Next. */
export function toNextListener(receive: Receiver, route: NextRoute): Listener {
  const id = randomUUID();
  receivers.set(id, receive);
  return (request, response) => {
    request.url = `/${route}/${id}`;
    return handle(request, response);
  };
}
