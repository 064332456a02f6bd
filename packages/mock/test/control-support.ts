import { request } from 'node:http';
import { expect, onTestFinished } from 'vitest';
import type { Mock, MockOptions } from '@service/mock';
import { listen, type ListenOptions, type MockServer } from '@service/mock/node';
import type { Context } from '../src/control/operation.ts';
import { PARTS } from '../src/core.ts';
import { findControlDeviations } from '../../../test/support/control-conformance.ts';
import { dial } from './raw-client.ts';
import { type Caller, createStillMock } from './support.ts';

/** The parts of a mock, whose functions a test can replace. */
export function partsOf(mock: Mock): Context {
  return mock[PARTS] as Context;
}

/** A response body of the control API, with the fields that tests use. */
type Body = Record<string, unknown> & { id: string; error: { code: string; message: string } };

/** A response of the control API. */
export interface ControlAnswered {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Body;
}

/** Sends a request to the control API over a socket. Headers that are undefined are not sent. */
export type Ask = (
  method: string,
  path: string,
  init?: { body?: unknown; headers?: Record<string, string | undefined> },
) => Promise<ControlAnswered>;

/** Creates a client of the control API at a port. It checks every response against sandbox.openapi.json. */
export function createAsk(port: number, hostname = '127.0.0.1'): Ask {
  return async (method, path, { body, headers = {} } = {}) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const sent = {
      host: `localhost:${port}`,
      ...(text !== undefined && {
        'content-type': 'application/json',
        'content-length': String(Buffer.byteLength(text)),
      }),
      ...headers,
    };
    const answer = await exchange({ port, hostname, method, path: `/_sandbox${path}`, text, headers: sent });
    const isJson = String(answer.headers['content-type']).startsWith('application/json');
    const seen = {
      ...answer,
      body: isJson && answer.text !== '' ? JSON.parse(answer.text) : answer.text || undefined,
    };
    const [plainPath = ''] = path.split('?');
    if (method !== 'OPTIONS' && !(method === 'HEAD' && answer.status >= 400)) {
      expect(findControlDeviations(method, `/_sandbox${plainPath}`, seen)).toEqual([]);
    }
    return seen;
  };
}

interface Exchange {
  port: number;
  hostname: string;
  method: string;
  path: string;
  text: string | undefined;
  headers: Record<string, string | undefined>;
}

interface Exchanged {
  status: number;
  headers: ControlAnswered['headers'];
  text: string;
}

function exchange({ port, hostname, method, path, text, headers }: Exchange): Promise<Exchanged> {
  const { promise, resolve, reject } = Promise.withResolvers<Exchanged>();
  const given = Object.entries(headers).filter(([, value]) => value !== undefined);
  const outgoing = request({
    port,
    hostname,
    method,
    path,
    headers: Object.fromEntries(given) as Record<string, string>,
  });
  outgoing.on('error', reject);
  outgoing.on('response', (incoming) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('error', reject);
    incoming.on('end', () => {
      resolve({
        status: incoming.statusCode ?? 0,
        headers: incoming.headers,
        text: Buffer.concat(chunks).toString(),
      });
    });
  });
  outgoing.end(text);
  return promise;
}

/** A mock with a manual clock that listens, and a client of its control API. */
export type ControlledMock = { mock: Mock; server: MockServer; ask: Ask } & Caller;

export async function serveControl(
  options: MockOptions = {},
  listening: ListenOptions = {},
): Promise<ControlledMock> {
  const still = createStillMock(options);
  const server = await listen(still.mock, { port: 0, ...listening });
  onTestFinished(() => server.close());
  return { ...still, server, ask: createAsk(server.port) };
}

/** Writes bytes to a port and reads until the connection is closed. */
export async function talk(port: number, bytes: string): Promise<string> {
  const { socket, closed } = await dial(port);
  socket.write(bytes);
  return closed;
}
