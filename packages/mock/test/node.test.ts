import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { listen } from '@service/mock/node';
import { checked } from '../../../test/support/conformance.ts';
import { serveControl, talk } from './control-support.ts';
import { order } from './support.ts';

describe('listen', () => {
  it('serves the mock on a free port of the loopback interface', async () => {
    const { mock, server } = await serveControl();
    expect(server.url).toBe(`http://127.0.0.1:${server.port}`);
    expect(server.baseUrl).toBe(`${server.url}/api/v1`);
    const response = await checked(fetch)(`${server.baseUrl}/balance`, {
      headers: { authorization: `Bearer ${mock.account.testKey}` },
    });
    expect(response.status).toBe(200);
  });

  it('needs a mock', async () => {
    await expect(listen({} as never)).rejects.toThrow('listen needs a mock from createMock.');
  });

  it('responds to a pipelined SIM-HOOK-FIRST without waiting for the next request', async () => {
    const { mock, server } = await serveControl();
    mock.sandbox.webhooks.setEndpoint({ url: `${server.url}/nowhere` });
    const request = (account: string, close: string): string => {
      const body = JSON.stringify(order({ beneficiary_account: account }));
      return `POST /api/v1/payments HTTP/1.1\r\nHost: x\r\nX-API-Key: ${mock.account.testKey}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n${close}\r\n${body}`;
    };
    const answers = await talk(
      server.port,
      request('SIM-HOOK-FIRST', '') + request('SIM-PENDING', 'Connection: close\r\n'),
    );
    expect(answers.match(/HTTP\/1\.1 201 /g)).toHaveLength(2);
    await mock.sandbox.idle();
  });

  it('responds to a wrong request with a 4xx without a stack trace', async () => {
    const { server } = await serveControl();
    for (const head of [
      'GET http://[ HTTP/1.1\r\nHost: x',
      'OPTIONS * HTTP/1.1\r\nHost: x',
      'GET /api/v1/balance HTTP/1.1',
      'GET /api/v1/balance HTTP/1.1\r\nHost: a b',
      'BREW /api/v1/balance HTTP/1.1\r\nHost: x',
      'GET /api/v1/payments/%zz HTTP/1.1\r\nHost: x',
      'GET /api/v1/balance HTTP/1.1\r\nHost: x\r\nX-API-Key: \u00e9',
    ]) {
      const answer = await talk(server.port, `${head}\r\nConnection: close\r\n\r\n`);
      expect([head, answer]).toEqual([head, expect.stringMatching(/^HTTP\/1\.1 4\d\d /)]);
      expect(answer).not.toMatch(/\bat .*:\d+:\d+|node_modules/);
    }
  });

  // A proxy may forward a path unchanged that only a URL parser resolves to another one.
  it('has no operation at a path with dot segments, backslashes or a fragment', async () => {
    const { mock, server } = await serveControl({ profile: { paths: 'lenient' } });
    for (const target of [
      '/api/v1/x/../balance',
      '/api/v1/x/%2e%2E/balance',
      '/api/v1/./balance',
      '/api/v1/balance/..%2fbalance',
      '/../api/v1/balance',
      '/api\\v1\\balance',
      '/api/v1/balance#x',
      'http://localhost/api/v1/x/../balance',
      '/api/v1/payments/..',
      '/api/v1/payments/x%2f..%5cbalance',
      '/_sandbox/../api/v1/balance',
      '/_sandbox/ui/../../api/v1/balance',
    ]) {
      mock.sandbox.requests.clear();
      const head = `GET ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nX-API-Key: ${mock.account.testKey}\r\n\r\n`;
      expect([target, (await talk(server.port, head)).split(' ')[1]]).toEqual([target, '404']);
      expect(mock.sandbox.requests.list().map(({ operation }) => operation)).toEqual(
        target.startsWith('/_sandbox') ? [] : [null],
      );
    }
  });

  it('answers the checks of HTTP/1.0 load balancers, which send no Host', async () => {
    const { server } = await serveControl();
    const answer = await talk(server.port, 'GET /_sandbox/health HTTP/1.0\r\n\r\n');
    expect(answer).toMatch(/^HTTP\/1.1 200 OK/);
  });

  it('closes with an open connection', async () => {
    const { server } = await serveControl();
    const socket = connect(server.port, '127.0.0.1');
    socket.on('error', () => {});
    await new Promise((connected) => void socket.once('connect', connected));
    socket.write('POST /api/v1/payments HTTP/1.1\r\nHost: x\r\n');
    await server.close();
    await expect(fetch(server.url)).rejects.toThrow('fetch failed');
  });
});
