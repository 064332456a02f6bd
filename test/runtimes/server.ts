import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { listenAtFreePort } from '../support/listen.ts';
import { createGoodBody, faults, paymentId } from '../wire/faults.ts';
import type { Report } from './entry.ts';

/** The server of the cases of one runtime. */
export interface CaseServer {
  readonly origin: string;
  /** The report of the runtime. */
  readonly report: Promise<Report>;
  readonly close: () => void;
}

const golden = readFileSync(join(import.meta.dirname, '../same-answers.golden.txt'));

/**
 * Starts the server. `/faults/INDEX/CALL` and `/good/CALL` are base URLs of a service, `/lines/CALL` are the request
 * lines that one of them received, and `/` is a page with a script.
 */
export async function startCaseServer(script: string): Promise<CaseServer> {
  const received = new Map<string, string[]>();
  const reported = Promise.withResolvers<Report>();

  const respondAsService = (
    parts: readonly string[],
    request: IncomingMessage,
    response: ServerResponse,
  ): unknown => {
    const { method, url, socket } = request;
    const line = `${method} ${url} HTTP/1.1`;
    const [kind, ...rest] = parts;
    const call = rest[kind === 'faults' ? 1 : 0] ?? '';
    const lines = [...(received.get(call) ?? []), line];
    received.set(call, lines);
    const good = createGoodBody(line);
    if (kind === 'faults') return faults[Number(rest[0])]?.respond(socket, good);
    // Each create has its own payment.
    const own = good.replace(paymentId, paymentId.slice(0, -2) + lines.length.toString().padStart(2, '0'));
    return response.writeHead(201, { 'content-length': Buffer.byteLength(own) }).end(own);
  };

  const respondWith: Readonly<Record<string, (parts: readonly string[], body: string) => string | Buffer>> = {
    '': () => '<!doctype html><meta charset="utf-8"><script type="module" src="/script.js"></script>',
    'script.js': () => script,
    golden: () => golden,
    lines: ([, call = '']) => JSON.stringify(received.get(call) ?? []),
    report: (_parts, body) => {
      reported.resolve(JSON.parse(body) as Report);
      return '';
    },
  };

  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(request);
    const parts = (request.url ?? '').split('/').slice(1);
    const create = respondWith[parts[0] ?? ''];
    if (create === undefined) return void respondAsService(parts, request, response);
    const type = parts[0] === '' ? 'text/html' : 'text/javascript';
    response.writeHead(200, { 'content-type': type, connection: 'close' }).end(create(parts, body));
  };

  const server = createServer((request, response) => void respond(request, response).catch(reported.reject));
  server.on('connection', (socket) => socket.on('error', () => {}));
  const port = await listenAtFreePort(server);
  return {
    origin: `http://127.0.0.1:${port}`,
    report: reported.promise,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
