import type { IncomingHttpHeaders } from 'node:http';
import { createReceiver, type WebhookEvent } from '@service/webhooks';
import { toNode } from '@service/webhooks/node';
import { describe, expect, it } from 'vitest';
import { secret, secretEnv as env, signBody } from './listen.support.ts';
import {
  closedEnvironment,
  eventBody,
  expectRefusals,
  keepSecret,
  openService,
  runCli,
  type RunOptions,
} from './support.ts';

interface Posted {
  headers: IncomingHttpHeaders;
  body: string;
}

type TestServer = AsyncDisposable & { url: string; posted: Posted[] };

/** Starts a server that records requests and sends a fixed response. */
async function openTarget(
  answer: { status?: number; headers?: Record<string, string>; body?: string } = {},
): Promise<TestServer> {
  const posted: Posted[] = [];
  const service = await openService((request, response) => {
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (text: string) => (body += text));
    request.on('end', () => {
      posted.push({ headers: request.headers, body });
      response.writeHead(answer.status ?? 200, answer.headers).end(answer.body ?? 'ok');
    });
  });
  return toTestServer(service, posted);
}

/** Starts a receiver of `@service/webhooks` and records the handled events. */
async function openReceiver(): Promise<TestServer & { handled: WebhookEvent[] }> {
  const handled: WebhookEvent[] = [];
  const receive = createReceiver({
    secrets: secret,
    on: {},
    fallback: (event) => void handled.push(event),
    onError: () => {},
  });
  const listener = toNode(receive);
  const service = await openService((...exchange) => void listener(...exchange));
  return { ...toTestServer(service, []), handled };
}

function toTestServer(service: Awaited<ReturnType<typeof openService>>, posted: Posted[]): TestServer {
  const url = `${service.env.SERVICE_BASE_URL!}/hooks`;
  return { url, posted, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() };
}

const trigger = (event: string, to: string, argv: string[] = [], options: RunOptions = {}) =>
  runCli(['webhooks', 'trigger', event, '--to', to, ...argv], { env, ...options });

describe('webhooks trigger', () => {
  it('sends each event, which a receiver handles', async () => {
    await using receiver = await openReceiver();
    const events = ['pending', 'processing', 'completed', 'failed'].map((status) => `payment.${status}`);
    for (const event of events) {
      const { code, lines, stderr } = await trigger(event, receiver.url);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(lines).toEqual([
        expect.stringMatching(new RegExp(`^${event} {2}pay_test_\\w{32} {2}to ${receiver.url}$`)),
        expect.stringMatching(/^ {2}acknowledged, HTTP 200 {2}\d+ ms/),
      ]);
    }
    expect(receiver.handled.map(({ event }) => event)).toEqual(events);
  });

  it('sends the same body and headers as the service, with a valid signature', async () => {
    await using target = await openTarget();
    const clock = { now: () => Date.parse('2026-01-31T12:00:00.789Z'), sleep: async () => {} };
    await trigger('completed', target.url, [], { clock });
    const [{ headers, body }] = target.posted as [Posted];
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': 'service-webhooks/1',
      'x-service-signature': signBody(body),
    });
    expect(body.replace(/pay_test_\w+/, 'pay_test_1')).toBe(eventBody);
  });

  it('sends another event each time, and with the same --id one that a receiver handles once', async () => {
    await using receiver = await openReceiver();
    for (const argv of [[], [], ['--id', 'pay_test_mine'], ['--id', 'pay_test_mine']])
      expect((await trigger('completed', receiver.url, argv)).code).toBe(0);
    expect(receiver.handled).toHaveLength(3);
    expect(receiver.handled.at(-1)).toMatchObject({ data: { id: 'pay_test_mine' } });
  });

  it('prints one JSON document with --json', async () => {
    await using target = await openTarget({ body: '{"received":true}' });
    const { document } = await trigger('completed', `${target.url}?token=hidden`, ['--json']);
    expect(document).toEqual({
      ok: true,
      event: 'payment.completed',
      id: expect.stringMatching(/^pay_test_/),
      url: target.url,
      outcome: 'acknowledged',
      status: 200,
      duration_ms: expect.any(Number),
      answer: '{"received":true}',
    });
  });

  it.each([201, 204, 302, 401, 500])(
    'exits 1 for a response with %i, and follows no redirect',
    async (status) => {
      await using target = await openTarget({ status, headers: { location: '/elsewhere' }, body: '' });
      const { code, lines, stderr } = await trigger('completed', target.url);
      expect(code).toBe(1);
      expect(lines[1]).toMatch(new RegExp(`^ {2}refused, HTTP ${status} `));
      expect(stderr).toContain('only status 200 does');
      expect(target.posted).toHaveLength(1);
    },
  );

  it('prints the start of the response without control characters, API keys or the secret', async () => {
    const key = keepSecret('service_test_0123456789abcdefghij');
    await using target = await openTarget({
      body: `\u001b[2J\u202e${key} ${secret}\n${'x'.repeat(100_000)}`,
    });
    const { lines } = await trigger('completed', target.url);
    expect(lines).toHaveLength(2);
    expect(lines[1]).toContain(String.raw`\u001b[2J\u202eservice_test_…ghij …\u000axxx`);
    expect(lines[1]!.length).toBeLessThan(500);
  });

  it('exits 3 if the receiver is unreachable', async () => {
    const closed = await closedEnvironment();
    const { code, lines } = await trigger('completed', closed.SERVICE_BASE_URL!);
    expect(code).toBe(3);
    expect(lines[1]).toMatch(/no response {2}\d+ ms {2}connect ECONNREFUSED/);
  });

  it('exits 3 on Ctrl+C', async () => {
    const controller = new AbortController();
    await using service = await openService(() => controller.abort('SIGINT'));
    const options = { signal: controller.signal };
    const { code } = await trigger('completed', service.env.SERVICE_BASE_URL!, [], options);
    expect(code).toBe(3);
  });
});

describe('webhooks trigger with invalid options', () => {
  const local = 'http://localhost:9/hooks';
  const remote = 'http://hooks.example/in';

  it('exits 2 and sends nothing', async () => {
    await expectRefusals({ command: 'webhooks trigger', env }, [
      [['paid', '--to', local], 'Write payment.pending, payment.processing'],
      ['completed', "required option '--to <url>' not specified"],
      ['completed --to http://me:pass@localhost/', '--to must be an absolute http or https URL'],
      [['completed', '--to', remote], 'Plain http is allowed only for receivers on this machine'],
      [['payment.under_review', '--to', local], 'Write payment.pending, payment.processing'],
      [['completed', '--to', local, '--id', '..'], 'Write an id.'],
    ]);
  });

  it('sends to allowed URLs, and follows no redirect', async () => {
    const requests: string[] = [];
    for (const to of ['https://hooks.example/in', 'http://127.0.0.1/in', remote]) {
      const { code } = await trigger('completed', to, to === remote ? ['--allow-insecure-http'] : [], {
        fetch: async ({ url, redirect }) => {
          requests.push(url);
          expect(redirect).toBe('manual');
          return new Response();
        },
      });
      expect([code, requests.at(-1)]).toEqual([0, to]);
    }
    expect(requests).toHaveLength(3);
  });
});
