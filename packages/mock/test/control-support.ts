import { request } from 'node:http';
import { connect } from 'node:net';
import { expect, onTestFinished } from 'vitest';
import type { Mock, MockOptions } from '@service/mock';
import { listen, type ListenOptions, type MockServer } from '@service/mock/node';
import { findControlDeviations } from '../../../test/support/control-conformance.ts';
import { type Caller, createStillMock } from './support.ts';

/** A body of the control plane, with the fields that tests look at. */
type Body = Record<string, unknown> & { id: string; error: { code: string; message: string } };

/** What a test saw of an answer of the control plane. */
export type ControlAnswered = {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Body;
};

/** Asks a control plane over a socket; a header that is undefined is not sent. */
export type Ask = (
  method: string,
  path: string,
  init?: { body?: unknown; headers?: Record<string, string | undefined> },
) => Promise<ControlAnswered>;

/** Creates what asks the control plane at a port; every answer is checked against sandbox.openapi.json. */
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
    const seen = { ...answer, body: answer.text === '' ? undefined : JSON.parse(answer.text) };
    const [plainPath = ''] = path.split('?');
    if (method !== 'OPTIONS' && !(method === 'HEAD' && answer.status >= 400)) {
      expect(findControlDeviations(method, `/_sandbox${plainPath}`, seen)).toEqual([]);
    }
    return seen;
  };
}

type Exchange = {
  port: number;
  hostname: string;
  method: string;
  path: string;
  text: string | undefined;
  headers: Record<string, string | undefined>;
};

type Exchanged = { status: number; headers: ControlAnswered['headers']; text: string };

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

/** A still mock that listens, and what asks its control plane. */
export type Steered = { mock: Mock; server: MockServer; ask: Ask } & Caller;

export async function serveControl(
  options: MockOptions = {},
  listening: ListenOptions = {},
): Promise<Steered> {
  const still = createStillMock(options);
  const server = await listen(still.mock, { port: 0, ...listening });
  onTestFinished(() => server.close());
  return { ...still, server, ask: createAsk(server.port) };
}

/** Writes bytes to a port and reads all that comes back until the connection is closed. */
export function talk(port: number, bytes: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const chunks: Buffer[] = [];
  const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
  socket.on('data', (chunk) => chunks.push(chunk));
  socket.on('close', () => resolve(Buffer.concat(chunks).toString()));
  socket.on('error', reject);
  return promise;
}
