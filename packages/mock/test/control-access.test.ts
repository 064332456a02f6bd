import { describe, expect, it } from 'vitest';
import { createAsk, serveControl, talk } from './control-support.ts';

const token = 'a-token-of-the-test-0123';

describe('control API without a token', () => {
  it('accepts only a loopback Host', async () => {
    const { ask, mock } = await serveControl();
    for (const host of ['LocalHost:80', 'localhost.:4010', '127.0.0.1', '127.1.2.3:65535', '[::1]'])
      expect([host, (await ask('GET', '/clock', { headers: { host } })).status]).toEqual([host, 200]);
    const accepted: string[] = [];
    for (const host of [
      'example.com',
      'localhost.example.com',
      'notlocalhost',
      'localhost..',
      '127.0.0.1.nip.io',
      '2130706433',
      '128.0.0.1',
      '0.0.0.0',
      '169.254.169.254',
      '[::1].example.com',
      '[::ffff:127.0.0.1]',
      'localhost:4010:80',
      'localhost@example.com',
      'example.com@localhost',
      'localhost,example.com',
    ]) {
      const { status } = await ask('POST', '/accounts', { headers: { host }, body: {} });
      // Some of them are not valid in a URL, so the request is rejected before any check.
      if (status !== 400 && status !== 403) accepted.push(`${host} ${status}`);
    }
    expect(accepted).toEqual([]);
    expect(mock.sandbox.accounts.list()).toHaveLength(1);
  });

  it('accepts a loopback Origin and lets it read the response, as the API does, and no other one', async () => {
    const { ask, mock, send } = await serveControl();
    const readerOf = async (origin: string) =>
      (await send('GET', '/balance', { headers: { origin } })).headers.get('access-control-allow-origin');
    const create = (origin?: string) => ask('POST', '/accounts', { headers: { origin }, body: {} });
    for (const origin of [
      'null',
      'https://example.com',
      'http://localhost.example.com',
      'http://example.com/http://localhost',
      'http://localhost:3000, https://example.com',
      'http://127.0.0.1.nip.io',
      'http://[::1].example.com',
      'http://0.0.0.0:4010',
      'file://',
      'chrome-extension://abcdefghijklmnop',
      'localhost',
    ]) {
      const { status, body, headers } = await create(origin);
      expect([origin, status, body.error.code]).toEqual([origin, 403, 'forbidden']);
      expect(headers).not.toHaveProperty('access-control-allow-origin');
      expect((await ask('OPTIONS', '/accounts', { headers: { origin } })).status).toBe(403);
      expect([origin, await readerOf(origin)]).toEqual([origin, null]);
    }
    expect(mock.sandbox.accounts.list()).toHaveLength(1);
    const local = [
      'http://localhost',
      'http://localhost:5173',
      'https://127.0.0.1:8443',
      'http://[::1]:3000',
    ];
    for (const origin of [...local, undefined]) {
      const { status, headers } = await create(origin);
      expect([status, headers['access-control-allow-origin']]).toEqual([201, origin]);
    }
    for (const origin of local) expect(await readerOf(origin)).toBe(origin);
  });

  it('rejects a request with two Hosts, no Host or two Origins', async () => {
    const { server } = await serveControl();
    for (const rest of [
      'HTTP/1.1\r\nHost: localhost\r\nHost: example.com',
      'HTTP/1.1\r\nHost: example.com\r\nHost: localhost',
      'HTTP/1.1\r\nHost:',
      'HTTP/1.1\r\nAccept: */*',
      'HTTP/1.0\r\nAccept: */*',
      'HTTP/1.1\r\nHost: l\u00f3calhost',
      'HTTP/1.1\r\nHost: localhost\r\nOrigin: http://localhost\r\nOrigin: https://example.com',
    ]) {
      const answer = await talk(server.port, `GET /_sandbox/snapshot ${rest}\r\nConnection: close\r\n\r\n`);
      expect([rest, answer]).toEqual([rest, expect.stringMatching(/^HTTP\/1\.1 40[03] /)]);
      expect(answer).not.toContain('checksum');
    }
  });

  it('handles an absolute URL in the request line like its path', async () => {
    const { server } = await serveControl();
    const line = `GET http://localhost:${server.port}/_sandbox/snapshot HTTP/1.1`;
    const send = (host: string): Promise<string> =>
      talk(server.port, `${line}\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    expect(await send('localhost')).toMatch(/^HTTP\/1\.1 200 /);
    const answer = await send('sandbox.example');
    expect(answer).toMatch(/^HTTP\/1\.1 403 /);
    expect(answer).not.toContain('checksum');
  });

  it('rejects what other pages load and fetch, and accepts its own pages, the address bar and curl', async () => {
    const { ask } = await serveControl();
    const secFetch = (site: string, mode = 'no-cors', dest = 'image') => ({
      'sec-fetch-site': site,
      'sec-fetch-mode': mode,
      'sec-fetch-dest': dest,
    });
    const senders: [headers: Record<string, string>, status: number][] = [
      [secFetch('cross-site'), 403],
      [secFetch('cross-site', 'no-cors', 'script'), 403],
      [secFetch('cross-site', 'navigate', 'iframe'), 403],
      [secFetch('cross-site', 'navigate', 'document'), 403],
      [secFetch('same-site'), 403],
      [{ ...secFetch('cross-site', 'cors', 'empty'), origin: 'https://example.com' }, 403],
      [secFetch('same-origin', 'cors', 'empty'), 200],
      [secFetch('none', 'navigate', 'document'), 200],
      [{}, 200],
      [{ ...secFetch('same-site', 'cors', 'empty'), origin: 'http://localhost:3000' }, 200],
      // Another site than localhost.
      [{ ...secFetch('cross-site', 'cors', 'empty'), origin: 'http://127.0.0.1:3000' }, 200],
    ];
    for (const [headers, status] of senders) {
      for (const path of ['/requests', '/snapshot', '/openapi.json'])
        expect([headers, path, (await ask('GET', path, { headers })).status]).toEqual([
          headers,
          path,
          status,
        ]);
      const { body } = await ask('GET', '/nothing', { headers });
      expect([headers, body.error.code]).toEqual([headers, status === 200 ? 'not_found' : 'forbidden']);
      // Open to every host, as checks of containers need it.
      expect((await ask('GET', '/health', { headers })).status).toBe(200);
    }
  });

  it('shows the dashboard to a link of another site', async () => {
    const { server } = await serveControl();
    for (const path of ['/', '/_sandbox/ui'])
      expect(
        await talk(
          server.port,
          `GET ${path} HTTP/1.1\r\nHost: localhost\r\nAccept: text/html\r\nSec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\nConnection: close\r\n\r\n`,
        ),
      ).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('responds to the preflight request of a page on this machine', async () => {
    const { ask } = await serveControl();
    const headers = {
      origin: 'http://localhost:5173',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'content-type',
    };
    expect(await ask('OPTIONS', '/accounts', { headers })).toMatchObject({
      status: 204,
      headers: {
        'access-control-allow-origin': 'http://localhost:5173',
        'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE',
        'access-control-allow-headers': 'Authorization, Content-Type, X-API-Key',
        'access-control-max-age': '600',
        vary: 'Origin',
      },
    });
  });
});

describe('the health endpoint', () => {
  it('responds to any client, but only pages on this machine can read it, with and without a token', async () => {
    for (const control of [{}, { token }]) {
      const { ask } = await serveControl({}, { control });
      for (const method of ['GET', 'HEAD'])
        expect((await ask(method, '/health', { headers: { host: 'mock:4010' } })).status).toBe(200);
      for (const origin of ['https://example.com', 'null', 'http://localhost:5173']) {
        const reader = (await ask('GET', '/health', { headers: { origin } })).headers[
          'access-control-allow-origin'
        ];
        expect(reader).toBe(origin.startsWith('http://localhost') ? origin : undefined);
      }
    }
  });

  it('does not open other paths', async () => {
    const { ask } = await serveControl();
    const headers = { host: 'example.com' };
    const paths = [
      '/health/',
      '/health/../snapshot',
      '/./snapshot',
      '/health%2F..%2Fsnapshot',
      '/snapshot?/health',
    ];
    for (const path of paths)
      expect([path, (await ask('GET', path, { headers })).status]).toEqual([path, 403]);
    expect((await ask('POST', '/health', { headers, body: {} })).status).toBe(403);
  });
});

describe('control API with a token', () => {
  it('accepts its token from any Host and Origin', async () => {
    const { ask } = await serveControl({}, { control: { token } });
    for (const authorization of [`Bearer ${token}`, `bearer ${token}`, `BEARER  ${token}`]) {
      const headers = { authorization, host: 'mock:4010', origin: 'https://preview.example' };
      expect(await ask('GET', '/snapshot', { headers })).toMatchObject({
        status: 200,
        headers: { 'access-control-allow-origin': 'https://preview.example', vary: 'Origin' },
      });
    }
  });

  it('rejects everything else', async () => {
    const { ask, mock } = await serveControl({}, { control: { token } });
    for (const authorization of [
      undefined,
      '',
      'Bearer ',
      `Bearer${token}`,
      `Bearer ${token.slice(0, -1)}`,
      `Bearer ${token}x`,
      `Basic ${token}`,
      `Basic ${btoa(`user:${token}`)}`,
      token,
      `Bearer ${'x'.repeat(8000)}`,
    ]) {
      const answered = await ask('POST', '/accounts', { headers: { authorization }, body: {} });
      expect([authorization, answered]).toMatchObject([
        authorization,
        {
          status: 401,
          headers: { 'www-authenticate': 'Bearer realm="sandbox"' },
          body: { error: { code: 'unauthenticated' } },
        },
      ]);
      expect(JSON.stringify(answered)).not.toContain(token);
    }
    expect(mock.sandbox.accounts.list()).toHaveLength(1);
  });

  it('accepts the token only in the Authorization header', async () => {
    const { ask, mock } = await serveControl({}, { control: { token } });
    const statusOf = async (path: string, headers = {}) => (await ask('GET', path, { headers })).status;
    for (const query of [`token=${token}`, `access_token=${token}`])
      expect([query, await statusOf(`/accounts?${query}`)]).toEqual([query, 401]);
    for (const headers of [
      { cookie: `token=${token}` },
      { 'x-api-key': token },
      { authorization: `Bearer ${mock.account.testKey}` },
    ])
      expect([headers, await statusOf('/accounts', headers)]).toEqual([headers, 401]);
    for (const path of ['/openapi.json', '/nowhere', '/accounts/find', '/'])
      expect([path, await statusOf(path)]).toEqual([path, 401]);
    expect(await statusOf('/health')).toBe(200);
  });
});

describe('listen', () => {
  it.each(['127.0.0.1', 'localhost'])('requires no token at %s', async (hostname) => {
    const { server } = await serveControl({}, { hostname });
    expect(server.controlToken).toBeNull();
    expect((await createAsk(server.port, hostname)('GET', '/clock')).status).toBe(200);
  });

  it('generates a token at an address of the network, another one each time', async () => {
    const tokens = new Set<string | null>();
    for (const hostname of ['0.0.0.0', '0.0.0.0', '']) {
      const { server, ask } = await serveControl({ seed: 1 }, { hostname });
      expect(server.controlToken).toMatch(/^[\w-]{43}$/);
      expect((await ask('GET', '/clock')).status).toBe(401);
      const headers = { authorization: `Bearer ${server.controlToken}` };
      expect((await ask('GET', '/clock', { headers })).status).toBe(200);
      tokens.add(server.controlToken);
    }
    expect(tokens.size).toBe(3);
  });
});
