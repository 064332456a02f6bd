import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { type Ask, serveControl, talk } from './control-support.ts';

const LIMIT = 64 * 1024;

/** The body of a new account with the given length in bytes. */
const bodyOf = (length: number): string => {
  const frame = JSON.stringify({ name: '' }).length;
  return JSON.stringify({ name: 'x'.repeat(length - frame) });
};

const send = (ask: Ask, body: string, headers = {}) => ask('POST', '/accounts', { body, headers });

describe('a request body of the control API', () => {
  it('can have 64 KiB and not one byte more', async () => {
    const { ask } = await serveControl();
    expect((await send(ask, bodyOf(LIMIT))).status).toBe(201);
    expect(await send(ask, bodyOf(LIMIT + 1))).toMatchObject({
      status: 413,
      body: { error: { code: 'payload_too_large', message: 'The request body is larger than 65536 bytes.' } },
    });
  });

  it.each(['/_sandbox/accounts', '/api/v1/payments'])(
    'of %s is rejected after 64 KiB before its end, with and without a length',
    async (path) => {
      const { server, ask, mock } = await serveControl();
      const head = `POST ${path} HTTP/1.1\r\nHost: localhost\r\nX-API-Key: ${mock.account.testKey}\r\nContent-Type: application/json\r\nConnection: close\r\n`;
      expect(await talk(server.port, `${head}Content-Length: 10000000\r\n\r\n{`)).toMatch(/^HTTP\/1\.1 413 /);
      const chunk = `10000\r\n${' '.repeat(0x10000)}\r\n`;
      const answer = await talk(server.port, `${head}Transfer-Encoding: chunked\r\n\r\n${chunk}${chunk}`);
      expect(answer).toMatch(/^HTTP\/1\.1 413 /);
      expect((await ask('GET', '/clock')).status).toBe(200);
    },
  );

  it('is rejected with a media type that pages can send without a preflight request', async () => {
    const { ask } = await serveControl();
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/json; charset=latin1',
      'application/json, text/plain',
      '',
      undefined,
    ]) {
      const { status, body } = await send(ask, '{}', { 'content-type': type });
      expect([type, status, body.error.code]).toEqual([type, 415, 'unsupported_media_type']);
    }
  });

  it('is rejected if it is compressed', async () => {
    const { ask } = await serveControl();
    expect((await send(ask, '{}', { 'content-encoding': 'gzip' })).status).toBe(415);
    expect((await send(ask, '{}', { 'content-encoding': 'identity' })).status).toBe(201);
  });

  it('is not a defect if the client disconnects, and changes nothing', async () => {
    const defects: unknown[] = [];
    const { server, mock, ask } = await serveControl({ onDefect: (error) => defects.push(error) });
    const head =
      'POST /_sandbox/accounts HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{';
    const socket = connect(server.port, '127.0.0.1', () => socket.write(head, () => socket.destroy()));
    await new Promise((gone) => void socket.once('close', gone));
    expect((await ask('GET', '/accounts')).body.accounts).toHaveLength(1);
    await server.close();
    expect(mock.sandbox.accounts.list()).toHaveLength(1);
    expect(defects).toEqual([]);
  });
});

describe('restore over HTTP', () => {
  it('accepts a snapshot of more than 64 KiB', async () => {
    const { ask, mock } = await serveControl();
    for (let count = 0; count < 200; count += 1) mock.sandbox.accounts.create({ name: `shop ${count}` });
    const stateHash = await mock.sandbox.stateHash();
    const snapshot = (await ask('GET', '/snapshot')).body;
    expect(JSON.stringify(snapshot).length).toBeGreaterThan(2 * LIMIT);
    const other = await serveControl({ seed: 7 });
    expect((await other.ask('POST', '/restore', { body: snapshot })).status).toBe(204);
    expect(await other.mock.sandbox.stateHash()).toBe(stateHash);
    expect((await other.ask('GET', `/accounts/${mock.account.id}`)).body).toEqual(mock.account);
  });

  it('accepts 256 MiB and not more', async () => {
    const { server } = await serveControl();
    const head =
      'POST /_sandbox/restore HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nConnection: close\r\n';
    const over = await talk(server.port, `${head}Content-Length: ${2 ** 28 + 1}\r\n\r\n{`);
    expect(over).toMatch(/^HTTP\/1\.1 413 .*larger than 268435456 bytes/s);
  });
});
