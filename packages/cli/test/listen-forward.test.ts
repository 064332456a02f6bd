import type { IncomingMessage, ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { completed, deliver, signBody, withListener } from './listen.support.ts';
import { closedEnvironment, openService } from './support.ts';

interface ReceivedRequest {
  headers: IncomingMessage['headers'];
  body: Buffer;
}

/** Starts an app that records its requests. */
async function openApp(
  answer: (response: ServerResponse) => void,
): Promise<AsyncDisposable & { received: ReceivedRequest[]; url: string }> {
  const received: ReceivedRequest[] = [];
  const service = await openService((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      received.push({ headers: request.headers, body: Buffer.concat(chunks) });
      answer(response);
    });
  });
  const url = `${new URL(service.env.SERVICE_BASE_URL!).origin}/hooks?token=of-nobody-else`;
  return { received, url, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() };
}

describe('webhooks listen --forward', () => {
  it('forwards raw bytes and signature, and returns the response of the app', async () => {
    await using app = await openApp((response) =>
      response.writeHead(202, { 'content-type': 'text/x-app' }).end('taken'),
    );
    const body = completed.replace('{', '{ ');
    const { shown, stderr } = await withListener(['--forward', app.url, '--json'], {}, async ({ url }) => {
      const answer = await deliver(url, body);
      expect([answer.status, answer.headers.get('content-type'), await answer.text()]).toEqual([
        202,
        'text/x-app',
        'taken',
      ]);
    });
    expect(app.received).toHaveLength(1);
    expect(app.received[0]!.body.toString()).toBe(body);
    expect(app.received[0]!.headers).toMatchObject({
      'content-type': 'application/json',
      'x-service-signature': signBody(body),
    });
    expect(shown).toMatchObject([{ result: 'event', answered: 202, forwarded: { status: 202 } }]);
    expect(stderr).toContain(`Events are forwarded to ${app.url.split('?')[0]}.`);
    expect(stderr).not.toContain('of-nobody-else');
  });

  it('does not forward rejected deliveries', async () => {
    await using app = await openApp((response) => response.end());
    const { shown } = await withListener(['--forward', app.url, '--json'], {}, async ({ url }) => {
      expect((await deliver(url, completed, 'a'.repeat(64))).status).toBe(401);
      expect((await deliver(url, '{}')).status).toBe(500);
    });
    expect(shown.map(({ result }) => result)).toEqual(['refused', 'refused']);
    expect(app.received).toEqual([]);
  });

  it.each([500, 404, 302, 204])('returns the status %i of the app', async (status) => {
    await using app = await openApp((response) =>
      response.writeHead(status, { location: '/elsewhere' }).end(),
    );
    await withListener(['--forward', app.url], {}, async ({ url }) => {
      expect((await fetch(url, { ...(await toRequest()), redirect: 'manual' })).status).toBe(status);
    });
    expect(app.received).toHaveLength(1);
  });

  it('responds 502 and prints the reason if the app refuses the connection', async () => {
    const { origin } = new URL((await closedEnvironment()).SERVICE_BASE_URL!);
    const { shown } = await withListener(['--forward', origin, '--json'], {}, async ({ url }) => {
      expect((await deliver(url, completed)).status).toBe(502);
    });
    expect(shown).toMatchObject([
      { answered: 502, forwarded: { error: expect.stringContaining('ECONNREFUSED') } },
    ]);
    const human = await withListener(
      ['--forward', origin],
      {},
      async ({ url }) => void (await deliver(url, completed)),
    );
    expect(human.lines[1]).toContain('  not forwarded: connect ECONNREFUSED');
  });

  it('responds 502 if the app does not respond within 8 s', async () => {
    await using app = await openApp(() => {});
    const clock = { now: () => 0, sleep: async () => {} };
    const { shown } = await withListener(['--forward', app.url, '--json'], { clock }, async ({ url }) => {
      expect((await deliver(url, completed)).status).toBe(502);
    });
    expect(shown).toMatchObject([{ forwarded: { error: 'no complete response within 8 s' } }]);
  });

  it('does not wait for the app on Ctrl+C', async () => {
    const { promise: asked, resolve } = Promise.withResolvers<void>();
    await using app = await openApp(() => resolve());
    const { code, stdout } = await withListener(['--forward', app.url], {}, async ({ url, interrupt }) => {
      const answer = deliver(url, completed);
      await asked;
      interrupt();
      expect((await answer).status).toBe(503);
    });
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
  });
});

async function toRequest(): Promise<RequestInit> {
  return { method: 'POST', body: completed, headers: { 'x-service-signature': signBody(completed) } };
}
