import type { Server } from 'node:http';
import * as fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createRequestServer, readTarget, type RequestServerOptions } from '../src/adapters/node-server.ts';
import {
  type MockResponse,
  type MockRequest,
  CONNECTION_LOST,
  type Handled,
  type HandleRequest,
} from '../src/http/request.ts';
import { listenAtFreePort } from '../../../test/support/listen.ts';
import { runs } from '../../../test/support/runs.ts';
import { dial } from './raw-client.ts';

const BODY = '{"success":true}';

function sound(body: string | null = BODY): MockResponse {
  return { status: 200, headers: { 'Content-Type': 'application/json' }, body };
}

/** A handler that responds by path and records the requests and the flushed responses. */
function createHandle(answers: Record<string, Handled['response']> = {}): {
  handle: HandleRequest;
  calls: MockRequest[];
  flushed: string[];
  lost: unknown[];
} {
  const calls: MockRequest[] = [];
  const flushed: string[] = [];
  const lost: unknown[] = [];
  const handle: HandleRequest = async (call) => {
    calls.push(call);
    if (call.path.startsWith('/read')) await call.readBody(10).catch((error: unknown) => lost.push(error));
    return { response: answers[call.path] ?? sound(), flushed: () => void flushed.push(call.path) };
  };
  return { handle, calls, flushed, lost };
}

async function serve(
  options: Partial<RequestServerOptions> & Pick<RequestServerOptions, 'handle'>,
): Promise<{ server: Server; port: number }> {
  const server = createRequestServer({ onDefect() {}, ...options });
  const port = await listenAtFreePort(server);
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { server, port };
}

function readCode(error: unknown): unknown {
  return (error as { code?: unknown }).code;
}

function ask(path: string, headers: readonly string[] = [], method = 'GET'): string {
  return `${[`${method} ${path} HTTP/1.1`, 'Host: localhost', ...headers].join('\r\n')}\r\n\r\n`;
}

const CLOSE = 'Connection: close';

describe('a request target', () => {
  const part = fc.constantFrom(
    'api',
    'v1',
    'balance',
    '.',
    '..',
    '',
    '%2e',
    '%2E%2e',
    '%zz',
    'a%20b',
    'a b',
    'é',
    'a\\b',
    "'",
    '"',
    '~',
    ':@!$&()*+,;=',
    '{id}',
    '<>',
    '[',
    '|',
    '^`',
  );
  const path = fc.array(part, { maxLength: 5 }).map((parts) => `/${parts.join('/')}`);
  const query = fc.oneof(
    fc.constantFrom('', '?', '??', '?a=b&c', "?'", '?#', '#', '?"<>`', '?é'),
    fc.string(),
  );

  it('is normalized like a URL, and unchanged if that resolves its path to another one', () => {
    fc.assert(
      fc.property(path, query, (start, end) => {
        const target = `${start}${end}`;
        const isResolved = /[\\#]|\/(?:\.|%2e){1,2}(?:\/|$)/i.test(target.split('?')[0]!);
        const { pathname, search } = new URL(`http://localhost${target}`);
        const wanted = isResolved
          ? { path: target, search: '' }
          : { path: pathname, search: search.slice(1) };
        expect(readTarget(target)).toEqual(wanted);
      }),
      { numRuns: runs(500) },
    );
  });

  it.each([
    ['http://elsewhere.example:1/api/v1/balance?page=1', '/api/v1/balance', 'page=1'],
    ['http://elsewhere.example/api/v1/../v1/balance', 'http://elsewhere.example/api/v1/../v1/balance', ''],
    ['HTTPS://elsewhere.example', '/', ''],
    ['//elsewhere.example/api', '//elsewhere.example/api', ''],
    ['ftp://elsewhere.example/api', 'ftp://elsewhere.example/api', ''],
    ['http://[', 'http://[', ''],
    ['*', '*', ''],
  ])('%s has the path %s', (target, wanted, search) => {
    expect(readTarget(target)).toEqual({ path: wanted, search });
  });
});

describe('the headers of an HTTP request', () => {
  it('join the values like `Headers`', async () => {
    const { handle, calls } = createHandle();
    const { port } = await serve({ handle });
    for (const [name, values] of [
      ['authorization', ['Bearer a', 'Bearer b']],
      ['x-api-key', ['a', 'a']],
      ['idempotency-key', ['a', 'b']],
      ['content-type', ['application/json', 'text/plain']],
      ['content-encoding', ['', 'gzip']],
      ['origin', ['http://localhost:1', 'http://localhost:2']],
      ['user-agent', ['a', 'b']],
      ['etag', ['\u00e9', '\u00ff']],
      ['cookie', ['a=1', 'b=2']],
    ] as const) {
      const line = await dial(port);
      line.socket.write(ask('/', [...values.map((value) => `${name}: \t ${value} \t`), CLOSE]), 'latin1');
      await line.closed;
      const expected = new Headers(values.map((value): [string, string] => [name, value])).get(name);
      const call = calls.at(-1);
      const listed = new Headers();
      const sent = call?.headers ?? [];
      for (let index = 0; index < sent.length; index += 2)
        listed.append(sent[index] ?? '', sent[index + 1] ?? '');
      expect([name, call?.header(name), listed.get(name)]).toEqual([name, expected, expected]);
    }
  });
});

describe('an HTTP response', () => {
  it('has a length in bytes and keeps the connection open', async () => {
    const { handle, flushed } = createHandle({ '/a': sound('"é"') });
    const { port } = await serve({ handle });
    const line = await dial(port);
    line.socket.write(ask('/a'));
    const answer = await line.receive('"\u00c3\u00a9"');
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*\r\nContent-Length: 4\r\n/);
    expect(answer).not.toMatch(/transfer-encoding/i);
    line.socket.write(ask('/b', [CLOSE]));
    expect(await line.closed).toMatch(/\r\nContent-Length: 16\r\n[^]*\r\n\r\n\{"success":true\}$/);
    expect(flushed).toEqual(['/a', '/b']);
  });

  it.each([
    ['HEAD', 200, 'x', /\r\n\r\n$/],
    ['OPTIONS', 204, 'x', /\r\n\r\n$/],
    ['GET', 200, 'Content-Length: 0', /\r\n\r\n$/],
  ])('to %s without a body ends after the headers', async (method, status, header, end) => {
    const { handle } = createHandle({ '/': { status, headers: { 'X-Request-Id': 'x' }, body: null } });
    const { port } = await serve({ handle });
    const line = await dial(port);
    line.socket.write(ask('/', [CLOSE], method));
    const answer = await line.closed;
    expect(answer).toMatch(end);
    expect(answer).toContain(header);
    expect(answer).not.toMatch(/transfer-encoding/i);
  });
});

describe('an HTTP request body', () => {
  const post = (headers: readonly string[]): string => ask('/read', headers, 'POST');

  it.each([
    ['without any length', []],
    ['of length 0', ['Content-Length: 0']],
  ])('%s is empty', async (_, headers) => {
    const read: unknown[] = [];
    const { port } = await serve({
      handle: async (call) => {
        read.push((await call.readBody(10))?.byteLength);
        return { response: sound(), flushed: () => {} };
      },
    });
    const line = await dial(port);
    line.socket.write(post([...headers, CLOSE]));
    await line.closed;
    expect(read).toEqual([0]);
  });

  it('that is not read does not block the response or the next request', async () => {
    const { handle } = createHandle();
    const { port } = await serve({ handle });
    const line = await dial(port);
    const size = 5_000_000;
    line.socket.write(ask('/unread', [`Content-Length: ${size}`], 'POST'));
    await line.receive(BODY);
    line.socket.write('x'.repeat(size));
    line.socket.write(ask('/next', [CLOSE]));
    expect((await line.closed).match(/HTTP\/1\.1 200 OK/g)).toHaveLength(2);
  });

  it('that arrives slowly has a timeout', async () => {
    const { handle, lost } = createHandle();
    const { port } = await serve({ handle, requestTimeout: 40 });
    const line = await dial(port);
    line.socket.write(`${post(['Content-Length: 9'])}{`);
    expect(await line.closed).toMatch(/^HTTP\/1\.1 408 /);
    expect(lost).toEqual([expect.objectContaining({ message: expect.stringContaining('before the end') })]);
  });
});

describe('a damaged HTTP response', () => {
  const damaged = (
    damage: 'truncated' | 'stalled' | 'garbage',
    body: string | null = BODY,
  ): MockResponse => ({
    ...sound(body),
    damage,
  });

  it.each([
    ['truncated', damaged('truncated'), 'closed'],
    ['garbage', damaged('garbage'), 'closed'],
    ['without a body', damaged('truncated', null), 'closed'],
    // Before Node 24, the reset of a response that waited ends the connection without an error.
    ['lost', CONNECTION_LOST, Number(process.versions.node.split('.')[0]) < 24 ? 'closed' : 'ECONNRESET'],
  ] as const)('%s does not affect earlier responses on the connection', async (_, answer, end) => {
    const { promise: slow, resolve: answerSlow } = Promise.withResolvers<void>();
    const { handle, flushed } = createHandle({ '/second': answer });
    const { promise: bothCalled, resolve: secondCalled } = Promise.withResolvers<void>();
    const { port } = await serve({
      handle: async (call) => {
        if (call.path === '/first') await slow;
        else setImmediate(secondCalled);
        return handle(call);
      },
    });
    const line = await dial(port);
    line.socket.write(ask('/first') + ask('/second') + ask('/third'));
    await bothCalled;
    answerSlow();
    await line.receive(BODY);
    expect(await line.closed.then(() => 'closed', readCode)).toBe(end);
    const received = await line.receive(BODY);
    expect(received).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*\{"success":true\}/);
    expect(received.match(/\{"success":true\}/g)).toHaveLength(1);
    expect(flushed.toSorted()).toEqual(['/first', '/second', '/third']);
  });
});
