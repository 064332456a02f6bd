import { once } from 'node:events';
import { createServer, request as sendRequest } from 'node:http';
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Receiver, WebhookEvent } from '@service/webhooks';
import { implementations } from './implementations.ts';
import { SECRET, signByOracle, writeEvent } from './samples.ts';

/** Converts a request of node:http. The body is pulled in chunks, so that a receiver can stop. */
function toRequest(incoming: IncomingMessage): Request {
  const headers = new Headers();
  for (let index = 0; index < incoming.rawHeaders.length; index += 2) {
    headers.append(incoming.rawHeaders[index]!, incoming.rawHeaders[index + 1]!);
  }
  const chunks = incoming.iterator({ destroyOnReturn: false });
  const body = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      const { done, value } = (await chunks.next()) as IteratorResult<Buffer>;
      if (done === true) controller.close();
      else controller.enqueue(value);
    },
  });
  const init = { method: incoming.method, headers, body, duplex: 'half' };
  return new Request('http://shop.example/webhooks', init as RequestInit);
}

async function respond(
  receive: Receiver,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const response = await receive(toRequest(incoming));
  const headers = incoming.complete ? {} : { connection: 'close' };
  outgoing.writeHead(response.status, { ...Object.fromEntries(response.headers), ...headers });
  outgoing.end(Buffer.from(await response.arrayBuffer()));
}

async function post(
  port: number,
  body: string | Uint8Array<ArrayBuffer>,
  headers: OutgoingHttpHeaders = {},
): Promise<number> {
  const signature = await signByOracle(body);
  const outgoing = sendRequest({
    port,
    method: 'POST',
    headers: { 'X-Service-Signature': signature, ...headers },
  });
  outgoing.end(body);
  const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
  incoming.resume();
  await once(incoming, 'end');
  return incoming.statusCode ?? 0;
}

describe.each(implementations)('a receiver over $name behind node:http', ({ createReceiver }) => {
  const closing: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    await Promise.all(closing.splice(0).map((close) => close()));
  });

  async function listen(handler: (event: WebhookEvent) => unknown): Promise<number> {
    const receive = createReceiver({
      secrets: SECRET,
      on: { 'payment.completed': handler },
      fallback: handler,
      onError: () => {},
    });
    const server = createServer((incoming, outgoing) => void respond(receive, incoming, outgoing));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    closing.push(async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    });
    return (server.address() as AddressInfo).port;
  }

  it('dispatches one of a hundred concurrent duplicates and acknowledges them all', async () => {
    const gate = Promise.withResolvers<void>();
    const handler = vi.fn<() => Promise<void>>(() => gate.promise);
    const port = await listen(handler);
    const posts = Array.from({ length: 100 }, () => post(port, writeEvent()));
    await expect.poll(() => handler.mock.calls).toHaveLength(1);
    gate.resolve();
    expect(await Promise.all(posts)).toEqual(Array.from({ length: 100 }, () => 200));
    expect(handler).toHaveBeenCalledOnce();
  });

  it('verifies the exact bytes of any text', async () => {
    const handler = vi.fn<(event: WebhookEvent) => void>();
    const port = await listen(handler);
    const body = writeEvent({ data: { purpose: 'محمد 株式会社 👩‍👩‍👧 e\u0301 \u200f' } });
    expect(await post(port, body)).toBe(200);
    expect(handler).toHaveBeenCalledWith({ ...JSON.parse(body), kind: 'payment' });
    expect(
      await post(port, new Uint8Array([0xfe]), {
        'X-Service-Signature': await signByOracle(new Uint8Array([0xff])),
      }),
    ).toBe(401);
  });

  it('rejects two signature headers', async () => {
    const handler = vi.fn<() => void>();
    const port = await listen(handler);
    const genuine = await signByOracle(writeEvent());
    expect(await post(port, writeEvent(), { 'X-Service-Signature': [genuine, genuine] })).toBe(401);
    expect(handler).not.toHaveBeenCalled();
  });

  it('rejects a content-length over maxBodyBytes before the body arrives', async () => {
    const port = await listen(() => {});
    const outgoing = sendRequest({ port, method: 'POST', headers: { 'content-length': 70_000 } });
    outgoing.on('error', () => {});
    outgoing.flushHeaders();
    const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
    expect(incoming.statusCode).toBe(413);
    outgoing.destroy();
  });

  it('stops reading a chunked body over maxBodyBytes', async () => {
    const port = await listen(() => {});
    const outgoing = sendRequest({ port, method: 'POST', headers: { 'transfer-encoding': 'chunked' } });
    outgoing.on('error', () => {});
    outgoing.write(Buffer.alloc(70_000));
    const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
    expect(incoming.statusCode).toBe(413);
    outgoing.destroy();
  });
});
