import { createServer, request as send, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { buffer, text } from 'node:stream/consumers';
import {
  type Exchange,
  recordTraffic,
  type RecordTrafficOptions,
  type TrafficRecorder,
} from '@service/probe/node';
import { describe, expect, it } from 'vitest';

interface Recording extends AsyncDisposable {
  readonly recorder: TrafficRecorder;
  readonly exchanges: Exchange[];
  readonly refused: string[];
  readonly origin: URL;
}

/** Starts a service, and a recorder of its traffic. */
async function startRecording(
  answer: (incoming: IncomingMessage, outgoing: ServerResponse) => unknown,
  options: Partial<RecordTrafficOptions> = {},
): Promise<Recording> {
  const server = createServer((incoming, outgoing) => void answer(incoming, outgoing));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  const exchanges: Exchange[] = [];
  const refused: string[] = [];
  const recorder = await recordTraffic({
    to: new URL('/api/v1', origin),
    onExchange: (exchange) => exchanges.push(exchange),
    onRefused: (reason) => refused.push(reason),
    ...options,
  });
  return {
    recorder,
    exchanges,
    refused,
    origin,
    [Symbol.asyncDispose]: async () => {
      await recorder.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function seen(exchanges: readonly Exchange[]): Promise<void> {
  await expect.poll(() => exchanges.length).toBe(1);
}

describe('the recorder between an application and a service', () => {
  it('passes the request and the response through as they are, without headers of one connection', async () => {
    let received: IncomingMessage | undefined;
    await using recording = await startRecording(async (incoming, outgoing) => {
      received = incoming;
      const body = await text(incoming);
      outgoing.sendDate = false;
      outgoing.writeHead(
        203,
        'Almost',
        [
          ['X-Case', 'Kept'],
          ['Set-Cookie', 'a=1'],
          ['Set-Cookie', 'b=2'],
          ['Keep-Alive', 'timeout=5'],
          ['Connection', 'close, X-Hop'],
          ['X-Hop', 'gone'],
          ['Content-Length', String(Buffer.byteLength(body))],
        ].flat(),
      );
      outgoing.end(body);
    });
    const { baseUrl } = recording.recorder;
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const headers = { 'X-Api-Key': 'service_test_1', TE: 'trailers', 'Content-Length': 4, 'X-Empty': '' };
      send(new URL(`${baseUrl.href}/a%2Fb//../c?x=%20&y`), {
        method: 'PUT',
        headers,
        path: '/api/v1/a%2Fb//../c?x=%20&y',
      })
        .on('response', resolve)
        .on('error', reject)
        .end('\u00e9\u00e8');
    });
    expect(received?.method).toBe('PUT');
    expect(received?.url).toBe('/api/v1/a%2Fb//../c?x=%20&y');
    expect(received?.rawHeaders).toEqual(
      expect.arrayContaining(['X-Api-Key', 'service_test_1', 'Content-Length', '4', 'X-Empty', '']),
    );
    expect(received?.headers).toMatchObject({ host: recording.origin.host });
    expect(received?.headers).not.toHaveProperty('te');
    expect([response.statusCode, response.statusMessage]).toEqual([203, 'Almost']);
    expect(response.rawHeaders.slice(0, 6)).toEqual([
      'X-Case',
      'Kept',
      'Set-Cookie',
      'a=1',
      'Set-Cookie',
      'b=2',
    ]);
    expect(response.headers).not.toHaveProperty('x-hop');
    expect(response.headers.date).toBeUndefined();
    expect(await text(response)).toBe('\u00e9\u00e8');
  });

  it('passes a large chunked body on unchanged, and counts it in the recording', async () => {
    await using recording = await startRecording((incoming, outgoing) => void incoming.pipe(outgoing));
    const bytes = Buffer.alloc(5_000_000, 'payments ');
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const request = send(`${recording.recorder.baseUrl.href}/echo`, { method: 'POST' });
      request.on('response', resolve).on('error', reject);
      for (let at = 0; at < bytes.length; at += 65_536) request.write(bytes.subarray(at, at + 65_536));
      request.end();
    });
    expect((await buffer(response)).equals(bytes)).toBe(true);
    await seen(recording.exchanges);
    expect(recording.exchanges[0]?.request).toMatchObject({ omitted: bytes.length });
    expect(recording.exchanges[0]?.response).toMatchObject({ status: 200, omitted: bytes.length });
  });

  it('asks for a body that is not compressed, so that it can be kept', async () => {
    await using recording = await startRecording(({ headers }, outgoing) => {
      outgoing.end(
        JSON.stringify({ success: true, data: { encodings: headers['accept-encoding'] ?? null } }),
      );
    });
    const response = await fetch(`${recording.recorder.baseUrl.href}/quotes`);
    const body = { success: true, data: { encodings: null } };
    expect(await response.json()).toEqual(body);
    await seen(recording.exchanges);
    expect(recording.exchanges[0]?.response?.body).toEqual(body);
  });

  it('responds with 502 and the reason if the service is not reachable', async () => {
    const closed = createServer();
    await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve));
    const to = new URL(`http://127.0.0.1:${(closed.address() as AddressInfo).port}/api/v1`);
    await new Promise((resolve) => closed.close(resolve));
    await using recording = await startRecording(() => {}, { to });
    const body = JSON.stringify({ amount: 1 });
    const response = await fetch(`${recording.recorder.baseUrl.href}/payments`, { method: 'POST', body });
    expect(response.status).toBe(502);
    expect(await response.json()).toMatchObject({
      success: false,
      error: {
        type: 'bad_gateway',
        message: expect.stringMatching(/got no response from http:\/\/127.*ECONNREFUSED/) as string,
      },
    });
    expect(recording.exchanges).toMatchObject([{ error: expect.stringContaining('no response') as string }]);
    expect(recording.exchanges[0]).not.toHaveProperty('response');
  });

  it('breaks a response off where the service did', async () => {
    await using recording = await startRecording((_, outgoing) => {
      outgoing.writeHead(200, { 'content-length': 100 });
      outgoing.write('part', () => outgoing.destroy());
    });
    const response = await fetch(`${recording.recorder.baseUrl.href}/balance`);
    await expect(response.text()).rejects.toThrow('terminated');
    await seen(recording.exchanges);
    expect(recording.exchanges[0]).toMatchObject({
      error: 'the response broke off',
      response: { status: 200 },
    });
  });

  const live = 'service_live_0123456789abcdef';
  it.each<[string, RequestInit, string]>([
    ['Authorization', { headers: { authorization: `Bearer ${live}` } }, '/balance'],
    ['X-API-Key', { headers: { 'x-api-key': live } }, '/balance'],
    ['an escaped query', {}, `/balance?key=${live.replace('live', '%6cive')}`],
  ])('refuses a live key in %s and never forwards it', async (_, init, path) => {
    let count = 0;
    await using recording = await startRecording((__, outgoing) => {
      count += 1;
      outgoing.end();
    });
    const response = await fetch(recording.recorder.baseUrl.href + path, init);
    expect(response.status).toBe(403);
    expect(await response.text()).toContain('accepts only test keys (service_test_…)');
    expect(count).toBe(0);
    expect(recording.exchanges).toEqual([]);
    expect(recording.refused).toHaveLength(1);
    expect(recording.refused.join()).not.toContain('0123456789');
  });

  it.each(['/balance', '//127.0.0.1:9/api/v1/balance', 'http://127.0.0.1:9/api/v1/balance'])(
    'does not forward %s, which is outside the base URL',
    async (path) => {
      await using recording = await startRecording((_, outgoing) => void outgoing.end('service'));
      const { hostname, port } = recording.recorder.baseUrl;
      const socket = connect(Number(port), hostname);
      socket.end(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
      expect(await text(socket)).toMatch(
        /^HTTP\/1.1 404.*End the base URL of the application with \/api\/v1\./s,
      );
      expect(recording.refused).toEqual(['A GET request outside /api/v1/ was not forwarded.']);
    },
  );
});
