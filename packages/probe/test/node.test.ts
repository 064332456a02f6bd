import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { WebhookSink } from '@service/probe';
import { listenForWebhooks, type ListenForWebhooksOptions } from '@service/probe/node';
import { events, signedRequest } from '@service/webhooks/testing';
import { describe, expect, it, onTestFinished } from 'vitest';

const secret = 'a signing secret';

interface Listening {
  readonly url: URL;
  readonly bodies: string[];
  readonly stop: () => Promise<void>;
}

/** Starts a listener. */
async function start(options: Partial<ListenForWebhooksOptions> = {}): Promise<Listening> {
  const { promise: listening, resolve } = Promise.withResolvers<URL>();
  const bodies: string[] = [];
  const sink: WebhookSink = {
    record: (body) => {
      bodies.push(new TextDecoder().decode(body));
      return 200;
    },
  };
  const stop = await listenForWebhooks({ secret, onListening: resolve, ...options })(sink);
  return { url: await listening, bodies, stop };
}

/** Sends the webhook of a completed payment. */
async function send(url: URL, signingSecret = secret): Promise<Response> {
  return fetch(await signedRequest(events.completed(), { secret: signingSecret, url: url.href }));
}

describe('listenForWebhooks', () => {
  it('passes a webhook with a valid signature to the sink, and responds with 200', async () => {
    const { url, bodies, stop } = await start();
    expect((await send(url)).status).toBe(200);
    // A retry has the same bytes.
    expect((await send(url)).status).toBe(200);
    expect(bodies.map((body) => JSON.parse(body) as object)).toEqual([
      expect.objectContaining({ event: 'payment.completed' }),
      expect.objectContaining({ event: 'payment.completed' }),
    ]);
    await stop();
  });

  it('rejects a webhook with an invalid signature, and reports its error', async () => {
    const codes: string[] = [];
    const { url, bodies, stop } = await start({ onRejected: ({ code }) => codes.push(code) });
    expect((await send(url, 'another secret')).status).toBe(401);
    expect({ bodies, codes }).toEqual({ bodies: [], codes: ['signature_mismatch'] });
    await stop();
  });

  it('passes its URL to the function that returns the secret, and accepts webhooks until the secret is known', async () => {
    let early: Promise<Response> | undefined;
    const { url, stop } = await start({
      secret: async (listenerUrl) => {
        early = send(listenerUrl);
        return secret;
      },
    });
    expect(url.href).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/$/);
    expect((await early)?.status).toBe(200);
    await stop();
  });

  it('stops listening if the secret cannot be used', async () => {
    let url: URL | undefined;
    const open = start({
      secret: async (listenerUrl) => {
        url = listenerUrl;
        return '';
      },
    });
    await expect(open).rejects.toMatchObject({ code: 'unusable_secret' });
    await expect(send(url!)).rejects.toThrow('fetch failed');
  });

  it('rejects with the code of the system if the port is in use', async () => {
    const server = createServer();
    await once(server.listen(0, '127.0.0.1'), 'listening');
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    await expect(start({ port })).rejects.toMatchObject({ code: 'EADDRINUSE', syscall: 'listen' });
  });
});
