import { createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { createReceiver, type WebhookEvent } from '@service/webhooks';
import { toNode } from '@service/webhooks/node';
import { describe, expect, it } from 'vitest';
import { closedEnvironment, keepSecret, openService, runCli, type RunOptions } from './support.ts';

const secret = keepSecret('whsec-0123456789-not-to-be-shown');
const env = { SERVICE_WEBHOOK_SECRET: secret };

type Posted = { headers: IncomingHttpHeaders; body: string };

type Listening = AsyncDisposable & { url: string; posted: Posted[] };

/** Keeps what is posted and answers as a test wants. */
async function openTarget(
  answer: { status?: number; headers?: Record<string, string>; body?: string } = {},
): Promise<Listening> {
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
  return toListening(service, posted);
}

/** A receiver of the house, and what it has handled. */
async function openReceiver(): Promise<Listening & { handled: WebhookEvent[] }> {
  const handled: WebhookEvent[] = [];
  const receive = createReceiver({
    secrets: secret,
    on: {},
    fallback: (event) => void handled.push(event),
    onError: () => {},
  });
  const listener = toNode(receive);
  const service = await openService((...exchange) => void listener(...exchange));
  return { ...toListening(service, []), handled };
}

function toListening(service: Awaited<ReturnType<typeof openService>>, posted: Posted[]): Listening {
  const url = `${service.env.SERVICE_BASE_URL!}/hooks`;
  return { url, posted, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() };
}

const trigger = (event: string, to: string, argv: string[] = [], options: RunOptions = {}) =>
  runCli(['webhooks', 'trigger', event, '--to', to, ...argv], { env, ...options });

describe('webhooks trigger', () => {
  it('sends an event that nobody knows, which a receiver hands to its fallback', async () => {
    await using receiver = await openReceiver();
    const { code, stderr } = await trigger('payment.under_review', receiver.url);
    expect(code).toBe(0);
    expect(stderr).toContain('payment.under_review is no documented event');
    expect(receiver.handled).toMatchObject([
      { kind: 'unknown', event: 'payment.under_review', data: { status: 'under_review', mode: 'test' } },
    ]);
  });

  it.each(['pending', 'processing', 'completed', 'failed'])(
    'sends payment.%s so that a receiver handles it',
    async (status) => {
      await using receiver = await openReceiver();
      const { code, lines, stderr } = await trigger(`payment.${status}`, receiver.url);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(lines).toEqual([
        expect.stringMatching(new RegExp(`^payment\\.${status} {2}pay_test_\\w{32} {2}to ${receiver.url}$`)),
        expect.stringMatching(/^ {2}acknowledged, HTTP 200 {2}\d+ ms/),
      ]);
      expect(receiver.handled).toEqual([expect.objectContaining({ event: `payment.${status}` })]);
    },
  );

  it('sends what the service sends, signed over the very bytes', async () => {
    await using target = await openTarget();
    const clock = { now: () => Date.parse('2026-01-31T12:00:00.789Z'), sleep: async () => {} };
    await trigger('completed', target.url, [], { clock });
    const [{ headers, body }] = target.posted as [Posted];
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': 'service-webhooks/1',
      'x-service-signature': createHmac('sha256', secret).update(body).digest('hex'),
    });
    expect(JSON.parse(body)).toEqual({
      event: 'payment.completed',
      created_at: '2026-01-31T12:00:00+00:00',
      data: {
        id: expect.stringMatching(/^pay_test_/),
        status: 'completed',
        from_currency: 'USD',
        to_currency: 'EUR',
        send_amount: 1000,
        receive_amount: 916.69,
        mode: 'test',
      },
    });
  });

  it('writes figures digit by digit as they were given, in quotes as text', async () => {
    await using target = await openTarget();
    const fields = [
      'send_amount=90071992547409.930',
      'receive_amount="7.50"',
      'created_at=2026-01-31T12:00:00Z',
      'id=pay_test_mine',
    ];
    await trigger(
      'failed',
      target.url,
      fields.flatMap((field) => ['--data', field]),
    );
    const [{ body }] = target.posted as [Posted];
    expect(body).toContain('"send_amount":90071992547409.930,');
    expect(body).toContain('"receive_amount":"7.50"');
    expect(body).toContain('"created_at":"2026-01-31T12:00:00Z"');
    expect(body).toContain('"id":"pay_test_mine"');
  });

  it('sends a field that no document names, and says so', async () => {
    await using target = await openTarget();
    const { code, stderr } = await trigger('failed', target.url, ['--data', 'purpose=INV-42']);
    expect(code).toBe(0);
    expect(stderr).toBe('note: purpose is no documented field of an event; it is sent all the same.\n');
    expect(target.posted[0]!.body).toContain('"purpose":"INV-42"');
  });

  it('sends the same bytes as often as it is told, and a receiver handles them once', async () => {
    await using target = await openTarget();
    await trigger('completed', target.url, ['--times', '3']);
    expect(target.posted).toHaveLength(3);
    expect(new Set(target.posted.map(({ body }) => body)).size).toBe(1);
    await using receiver = await openReceiver();
    expect((await trigger('completed', receiver.url, ['--times', '3'])).code).toBe(0);
    expect(receiver.handled).toHaveLength(1);
    expect((await trigger('completed', receiver.url)).code).toBe(0);
    expect(receiver.handled).toHaveLength(2);
  });

  it('writes one document with --json', async () => {
    await using target = await openTarget({ body: '{"received":true}' });
    const { document } = await trigger('completed', `${target.url}?token=hidden`, ['--json', '--times', '2']);
    const attempt = {
      outcome: 'acknowledged',
      status: 200,
      duration_ms: expect.any(Number),
      answer: '{"received":true}',
    };
    expect(document).toEqual({
      ok: true,
      event: 'payment.completed',
      id: expect.stringMatching(/^pay_test_/),
      url: target.url,
      forgery: null,
      attempts: [attempt, attempt],
    });
  });

  it.each([201, 204, 302, 401, 500])('exits 1 for an answer of %i, and follows nothing', async (status) => {
    await using target = await openTarget({ status, headers: { location: '/elsewhere' }, body: '' });
    const { code, lines, stderr } = await trigger('completed', target.url);
    expect(code).toBe(1);
    expect(lines[1]).toMatch(new RegExp(`^ {2}refused, HTTP ${status} `));
    expect(stderr).toContain('only 200 does');
    expect(target.posted).toHaveLength(1);
  });

  it('shows the beginning of an answer, without what steers a terminal, keys or the secret', async () => {
    const key = keepSecret('service_test_0123456789abcdefghij');
    await using target = await openTarget({
      body: `\u001b[2J\u202e${key} ${secret}\n${'x'.repeat(100_000)}`,
    });
    const { lines } = await trigger('completed', target.url);
    expect(lines).toHaveLength(2);
    expect(lines[1]).toContain(String.raw`\u001b[2J\u202eservice_test_…ghij …\u000axxx`);
    expect(lines[1]!.length).toBeLessThan(500);
  });

  it('exits 3 when nobody listens', async () => {
    const closed = await closedEnvironment();
    const { code, lines } = await trigger('completed', closed.SERVICE_BASE_URL!);
    expect(code).toBe(3);
    expect(lines[1]).toMatch(/no answer {2}\d+ ms {2}connect ECONNREFUSED/);
  });

  it('exits 3 when the answer takes too long', async () => {
    await using service = await openService(() => {});
    const { code, lines } = await trigger('completed', service.env.SERVICE_BASE_URL!, ['--timeout', '20ms']);
    expect(code).toBe(3);
    expect(lines[1]).toContain('nothing within 20 ms');
  });

  it('takes a status that has come for the answer, also where the rest stalls', async () => {
    await using service = await openService((_, response) => void response.writeHead(200).write('half'));
    const { code, lines } = await trigger('completed', service.env.SERVICE_BASE_URL!, ['--timeout', '200ms']);
    expect(code).toBe(0);
    expect(lines[1]).toMatch(/acknowledged, HTTP 200 .*half$/);
  });

  it('exits 3 on Ctrl+C, and sends no more', async () => {
    const controller = new AbortController();
    let count = 0;
    await using service = await openService(() => {
      count += 1;
      controller.abort('SIGINT');
    });
    const options = { signal: controller.signal };
    const { code } = await trigger('completed', service.env.SERVICE_BASE_URL!, ['--times', '5'], options);
    expect({ code, count }).toEqual({ code: 3, count: 1 });
  });
});

describe('a forged event', () => {
  const forgeries = ['--tamper', '--wrong-secret', '--no-signature'];

  it.each(forgeries)('is refused by a receiver that verifies, and so %s exits 0', async (option) => {
    await using receiver = await openReceiver();
    const { code, lines, stderr } = await trigger('completed', receiver.url, [option]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(lines[1]).toMatch(/refused, HTTP 401/);
    expect(receiver.handled).toEqual([]);
  });

  it.each(forgeries)('exits 1 with %s when it is accepted', async (option) => {
    await using target = await openTarget({ status: 204, body: '' });
    const { code, stderr } = await trigger('completed', target.url, [option]);
    expect(code).toBe(1);
    expect(stderr).toBe('The receiver must refuse a forged event with 401, and did not.\n');
  });

  it('exits 1 when it is refused otherwise', async () => {
    await using target = await openTarget({ status: 500 });
    expect((await trigger('completed', target.url, ['--tamper'])).code).toBe(1);
  });

  it('differs from the genuine one in a digit, in the signature, or in having none', async () => {
    await using target = await openTarget({ status: 401 });
    for (const option of forgeries) await trigger('completed', target.url, [option]);
    const [tampered, foreign, bare] = target.posted as [Posted, Posted, Posted];
    const digest = (body: string): string => createHmac('sha256', secret).update(body).digest('hex');
    expect(tampered.headers['x-service-signature']).toBe(digest(tampered.body.replace('916.60', '916.69')));
    expect(foreign.headers['x-service-signature']).toMatch(/^[0-9a-f]{64}$/);
    expect(foreign.headers['x-service-signature']).not.toBe(digest(foreign.body));
    expect(bare.headers).not.toHaveProperty('x-service-signature');
  });

  it('needs no secret where it is not signed with one', async () => {
    await using target = await openTarget({ status: 401 });
    for (const option of ['--wrong-secret', '--no-signature'])
      expect((await trigger('completed', target.url, [option], { env: {} })).code).toBe(0);
  });
});

describe('webhooks trigger, asked for what it must not do,', () => {
  const local = 'http://localhost:9/hooks';
  const far = 'http://hooks.example/in';
  const fetch = (): Promise<Response> => Promise.reject(new Error('must not be called'));

  it.each([
    [['paid', '--to', local], 'There are payment.pending, payment.processing'],
    [['completed'], "required option '--to <url>' not specified"],
    [['completed', '--to', 'localhost:3000'], '--to must be a whole http or https address'],
    [['completed', '--to', 'http://me:pass@localhost/'], '--to must be a whole http or https address'],
    [['completed', '--to', far], 'Plain http is for receivers on this machine'],
    [['completed', '--to', 'http://localhost.example/'], 'Plain http is for receivers on this machine'],
    [['completed', '--to', far, '--mode', 'live', '--live', '--allow-insecure-http'], 'Use https.'],
    [['completed', '--to', 'https://hooks.example/in', '--mode', 'live'], 'pass --live'],
    [['completed', '--to', local, '--mode', 'prod'], 'Allowed choices are test, live'],
    [['completed', '--to', local, '--times', '101'], 'from 1 to 100'],
    [['completed', '--to', local, '--tamper', '--wrong-secret'], 'cannot be used with option'],
    [['completed', '--to', local, '--no-signature', '--tamper'], 'cannot be used with option'],
    [['completed', '--to', local, '--data', 'send_amount'], 'such as send_amount=12.50'],
    [['completed', '--to', local, '--data', '__proto__=1'], 'such as send_amount=12.50'],
    [['completed', '--to', local, '--data', 'amount=1'], 'send_amount and receive_amount'],
    [['completed', '--to', local, '--data', 'status=failed'], 'that of the event'],
    [['completed', '--to', local, '--data', 'mode=live'], 'that of --mode'],
    [
      ['completed', '--to', local, '--data', 'send_amount=ten'],
      'data.send_amount of payment.completed is not as documented',
    ],
    [
      ['completed', '--to', local, '--data', 'id=pay_live_1'],
      'data.id (pay_<data.mode>_…) of payment.completed is not as documented',
    ],
    [['completed', '--to', local, '--data', 'created_at=today'], 'created_at'],
  ])('exits 2 for %j and sends nothing', async (argv, why) => {
    const { code, stdout, stderr } = await runCli(['webhooks', 'trigger', ...argv], { env, fetch });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(why);
  });

  it.each([[{}], [{ SERVICE_WEBHOOK_SECRET: ' ' }]])('exits 2 without a usable secret, %j', async (given) => {
    const { code, stdout } = await trigger('completed', local, [], { env: given, fetch });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  });

  it.each([
    [far, ['--allow-insecure-http']],
    ['https://hooks.example/in', []],
    ['https://hooks.example/in', ['--mode', 'live', '--live']],
    ['http://127.0.0.1/in', ['--mode', 'live']],
  ])('goes on when it may: %s %j', async (to, argv) => {
    const asked: string[] = [];
    const { code } = await trigger('completed', to, argv, {
      fetch: async ({ url, redirect }) => {
        asked.push(`${redirect} ${url}`);
        return new Response();
      },
    });
    expect({ code, asked }).toEqual({ code: 0, asked: [`manual ${to}`] });
  });
});
