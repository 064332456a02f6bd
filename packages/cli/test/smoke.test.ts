import { type Call, createClient, type Payment } from '@service/sdk';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../src/clock.ts';
import { smoke } from '../src/smoke/smoke.ts';
import type { Bench } from '../src/smoke/steps.ts';
import { closedEnvironment, type Document, keepSecret, openWorld, runCli } from './support.ts';

const names = [
  'key',
  'balance',
  'quote',
  'create',
  'retrieve',
  'wait',
  'transactions',
  'wrong key',
  'bad amount',
  'unknown payment',
];

type TransactionRow = { payment_id?: string; reference?: string };

/** What tests change in the answers of the service. */
type Body = {
  success: boolean;
  mode?: string;
  error?: { message: string };
  data?: {
    receive_amount?: number;
    send_amount?: number;
    status?: string;
    rate?: number;
    transactions?: TransactionRow[];
    pagination?: unknown;
  };
};
type Change = (body: Body, request: Request, response: Response) => Response | void;

/** A `fetch` that passes on what the service answers, changed. */
function altered(change: Change): (request: Request) => Promise<Response> {
  return async (request) => {
    const response = await fetch(request);
    const body = (await response.json()) as Body;
    return change(body, request, response) ?? Response.json(body, response);
  };
}

/** A copy of a body with its figures changed, but not those that count pages. */
function mapFigures(body: Body, change: (figure: number) => unknown): Body {
  const { pagination } = body.data ?? {};
  const text = JSON.stringify(body, (_, value: unknown) =>
    typeof value === 'number' ? change(value) : value,
  );
  const copy = JSON.parse(text) as Body;
  return { ...copy, data: { ...copy.data, ...(pagination !== undefined && { pagination }) } };
}

const stepsOf = (document: Document): Record<string, string> =>
  Object.fromEntries(document.steps.map(({ name, status }) => [name, status]));

describe('smoke', () => {
  it('passes against the sandbox and leaves one payment', async () => {
    await using world = await openWorld();
    const { code, document } = await runCli(['smoke', '--json'], { env: world.env });
    expect(code).toBe(0);
    expect(document).toMatchObject({ ok: true, mode: 'test' });
    expect(stepsOf(document)).toEqual(Object.fromEntries(names.map((name) => [name, 'ok'])));
    const { documents } = await runCli(['transactions', '--type', 'payment', '--json'], { env: world.env });
    expect(documents).toHaveLength(1);
  });

  it('tells a person each step and the sum', async () => {
    await using world = await openWorld();
    const { lines, stderr } = await runCli(['smoke', '--account', 'SIM-INSTANT'], { env: world.env });
    expect(lines[0]).toMatch(/^ok {7}key {13}\s+\d+ ms {2}accepted, mode test$/);
    expect(lines.at(-1)).toBe('ok: 10 steps, 0 failed');
    expect(stderr).toMatch(/^Testing http:\/\/127\.0\.0\.1:\d+\/api\/v1 with service_test_…\w{4}\.\n$/);
  });

  it('takes a payment that fails for a final status', async () => {
    await using world = await openWorld();
    const { code } = await runCli(['smoke', '--account', 'SIM-FAIL-EARLY'], { env: world.env });
    expect(code).toBe(0);
  });

  it('pays what it is told to pay', async () => {
    await using world = await openWorld();
    const argv = ['smoke', '--from', 'gbp', '--to', 'USD', '--amount', '2.50', '--name', 'Acme'];
    expect((await runCli(argv, { env: world.env })).code).toBe(0);
    const { documents } = await runCli(['transactions', '--type', 'payment', '--json'], { env: world.env });
    expect(documents[0]).toMatchObject({ currency: 'GBP', amount: -2.5 });
  });

  it.each<[string, Change]>([
    ['answers 200 to a create', (body) => Response.json(body, { status: 200 })],
    ['sends text for numbers', (body) => Response.json(mapFigures(body, (figure) => figure.toFixed(2)))],
    ['sends float tails', (body) => Response.json(mapFigures(body, (figure) => figure + Number.EPSILON))],
  ])('tolerates a service that %s', async (_, change) => {
    await using world = await openWorld();
    const { code, document } = await runCli(['smoke', '--json', '--account', 'SIM-INSTANT'], {
      env: world.env,
      fetch: altered((body, ...rest) => (body.success ? change(body, ...rest) : undefined)),
    });
    expect(document.steps.filter(({ status }) => status === 'failed')).toEqual([]);
    expect(code).toBe(0);
  });

  it('tolerates refusals without a type', async () => {
    await using world = await openWorld();
    const { code } = await runCli(['smoke'], {
      env: world.env,
      fetch: altered(
        (body, _, { status }) => body.error && Response.json({ message: body.error.message }, { status }),
      ),
    });
    expect(code).toBe(0);
  });

  it.each<[string, (row: TransactionRow) => object, string]>([
    [
      'name neither payment nor purpose',
      (row) => ({ ...row, payment_id: undefined, reference: undefined }),
      'the records name neither payment nor purpose',
    ],
    [
      'name the purpose only',
      (row) => ({ ...row, payment_id: undefined }),
      'the record of the payment does not name its id',
    ],
    [
      'cannot be read',
      (row) => ({ ...row, amount: 'USD 5' }),
      'transactions of a page: data.transactions[0].amount is a string, not an amount;',
    ],
  ])(
    'warns loudly and exits 3 when the records %s, as no lost payment can be found',
    async (_, bend, detail) => {
      await using world = await openWorld();
      const { code, lines, stdout } = await runCli(['smoke', '--account', 'SIM-INSTANT'], {
        env: world.env,
        fetch: altered(({ data, ...body }) =>
          data?.transactions
            ? Response.json({ ...body, data: { transactions: data.transactions.map(bend) } })
            : undefined,
        ),
      });
      expect(stdout).toMatch(/^WARNING {2}transactions .*\. PAYMENT RECONCILE WILL NOT WORK/m);
      expect(stdout).toContain(detail);
      expect(lines.at(-1)).toBe('WARNING: 10 steps, 0 failed, 1 with a warning');
      expect(code).toBe(3);
    },
  );

  it('is not ok under the profile "minimal"', async () => {
    await using world = await openWorld({ profile: { transactionShape: 'minimal' } });
    const { code, document } = await runCli(['smoke', '--json', '--account', 'SIM-INSTANT'], {
      env: world.env,
    });
    expect([code, document.ok, stepsOf(document).transactions]).toEqual([3, false, 'warning']);
  });

  it('fails and exits 3 when no array holds the transactions', async () => {
    await using world = await openWorld();
    const { code, document } = await runCli(['smoke', '--json'], {
      env: world.env,
      fetch: altered(({ data, ...body }) =>
        data?.transactions ? Response.json({ ...body, data: { count: 1, newest: {} } }) : undefined,
      ),
    });
    const step = document.steps.find(({ name }) => name === 'transactions');
    expect(step).toMatchObject({ status: 'failed', blame: 'unknown' });
    expect(step?.detail).toContain('`data` has count (a number), newest (an object)');
    expect(code).toBe(3);
  });

  it('finds the payment in a record of other names that has an integer id', async () => {
    await using world = await openWorld();
    const { code, document } = await runCli(['smoke', '--json'], {
      env: world.env,
      fetch: altered(({ data, ...body }) =>
        data?.transactions
          ? Response.json({
              ...body,
              data: {
                results: data.transactions.map(({ payment_id }, id) => ({ id, reference: payment_id })),
                next: null,
              },
            })
          : undefined,
      ),
    });
    expect(code).toBe(0);
    expect(stepsOf(document).transactions).toBe('ok');
  });

  it.each<[string, string, Change]>([
    [
      'quote',
      'receives nothing',
      ({ data }, { url }) => {
        if (url.endsWith('/quotes') && data) data.receive_amount = 0;
      },
    ],
    [
      'create',
      'sends another amount',
      ({ data }, { url }) => {
        if (url.endsWith('/payments') && data) data.send_amount = 9;
      },
    ],
    [
      'create',
      'calls a new payment completed',
      ({ data }, { url }) => {
        if (url.endsWith('/payments') && data) data.status = 'completed';
      },
    ],
    [
      'retrieve',
      'changes a figure',
      ({ data }, { url }) => {
        if (url.includes('/pay_') && data) data.rate = 2;
      },
    ],
    [
      'transactions',
      'loses the payment',
      ({ data }) => {
        if (data?.transactions) data.transactions = [];
      },
    ],
    ['key', 'does not name the mode', (body) => void delete body.mode],
    [
      'wrong key',
      'lets anybody in',
      (_body, _request, { status }) =>
        status === 401 ? Response.json({ success: true, mode: 'test', data: { balances: [] } }) : undefined,
    ],
    [
      'bad amount',
      'answers 400',
      (body, { url }, { status }) =>
        status === 422 && url.endsWith('/quotes') ? Response.json(body, { status: 400 }) : undefined,
    ],
    [
      'unknown payment',
      'answers 403',
      (body, _request, { status }) => (status === 404 ? Response.json(body, { status: 403 }) : undefined),
    ],
  ])('fails the step %s and exits 1 when the service %s', async (name, _, change) => {
    await using world = await openWorld();
    const { code, document } = await runCli(['smoke', '--json', '--account', 'SIM-INSTANT'], {
      env: world.env,
      fetch: altered(change),
    });
    expect(code).toBe(1);
    expect(document.ok).toBe(false);
    expect(stepsOf(document)[name]).toBe('failed');
  });

  it('pays nothing when the quote fails', async () => {
    await using world = await openWorld();
    const { code, document } = await runCli(['smoke', '--json'], {
      env: world.env,
      fetch: altered(({ data }, { url }) => {
        if (url.endsWith('/quotes') && data) data.receive_amount = 0;
      }),
    });
    expect(code).toBe(1);
    expect(Object.values(stepsOf(document)).join(' ')).toBe(
      'ok ok failed skipped skipped skipped skipped ok ok ok',
    );
    expect(document.steps[3]!.detail).toBe('there is no quote to rely on');
    const { documents } = await runCli(['transactions', '--type', 'payment', '--json'], { env: world.env });
    expect(documents).toEqual([]);
  });

  it.each<[string, string, Change]>([
    ['fails', 'failed', () => Response.json({ message: 'Busy.' }, { status: 503 })],
    ['answers with a page', 'failed', () => new Response('<html>')],
    ['names the other mode', 'failed', (body) => void (body.mode = 'live')],
  ])('exits 3 and tries no more when the service %s at once', async (_, status, change) => {
    await using world = await openWorld();
    const { code, document } = await runCli(['smoke', '--json'], { env: world.env, fetch: altered(change) });
    expect(code).toBe(3);
    const [first, ...others] = document.steps;
    expect(first!.status).toBe(status);
    expect(new Set(others.map(({ detail }) => detail))).toEqual(new Set(['the first step failed']));
  });

  it('exits 3 when a create fails inside the service, and goes on', async () => {
    await using world = await openWorld();
    const { code, document } = await runCli(['smoke', '--json', '--account', 'SIM-500'], { env: world.env });
    expect(code).toBe(3);
    expect(document.steps[3]!.detail).toContain('THE PAYMENT MAY EXIST');
    expect(Object.values(stepsOf(document)).join(' ')).toBe(
      'ok ok ok failed skipped skipped skipped ok ok ok',
    );
  });

  it.each<[string, (rows: unknown) => unknown]>([
    ['an array', (rows) => rows],
    ['what Laravel makes', (rows) => ({ data: rows, current_page: 1, last_page: 1 })],
  ])('finds the payment on a page that is %s', async (_, toPage) => {
    await using world = await openWorld();
    const { code, document } = await runCli(['smoke', '--json'], {
      env: world.env,
      fetch: altered(({ data, ...body }) =>
        data?.transactions ? Response.json({ ...body, data: toPage(data.transactions) }) : undefined,
      ),
    });
    expect(code).toBe(0);
    expect(stepsOf(document).transactions).toBe('ok');
  });

  it('exits 3 when the transactions are a page of HTML', async () => {
    await using world = await openWorld();
    const { code, document } = await runCli(['smoke', '--json'], {
      env: world.env,
      fetch: altered(({ data }) => (data?.transactions ? new Response('<html>') : undefined)),
    });
    expect(code).toBe(3);
    expect(stepsOf(document).transactions).toBe('failed');
  });

  it.each<[string, Change]>([
    [
      'wrong key',
      (body, _, { status }) => (status === 401 ? Response.json(body, { status: 500 }) : undefined),
    ],
    [
      'bad amount',
      (body, { url }) =>
        url.endsWith('/quotes') && !body.success ? Response.json(body, { status: 502 }) : undefined,
    ],
    [
      'unknown payment',
      (body, _, { status }) => (status === 404 ? Response.json(body, { status: 503 }) : undefined),
    ],
  ])('exits 3 when the service fails at the step %s', async (name, change) => {
    await using world = await openWorld();
    const { code, document } = await runCli(['smoke', '--json', '--account', 'SIM-INSTANT'], {
      env: world.env,
      fetch: altered(change),
    });
    expect(code).toBe(3);
    expect(document.steps.filter(({ status }) => status === 'failed')).toMatchObject([
      { name, blame: 'unknown', detail: expect.stringMatching(/HTTP 50[023]/) },
    ]);
  });

  it('exits 3 when the service fails for as long as it waits', async () => {
    await using world = await openWorld();
    let asked = 0;
    const { code, document } = await runCli(['smoke', '--json', '--timeout', '50ms'], {
      env: world.env,
      fetch: async (request) => {
        if (request.url.includes('/pay_')) asked += 1;
        return asked > 1 ? Response.json({ message: 'Busy.' }, { status: 503 }) : fetch(request);
      },
    });
    expect(stepsOf(document)).toMatchObject({ retrieve: 'ok', wait: 'failed' });
    expect(document.steps[5]).toMatchObject({ blame: 'unknown' });
    expect(code).toBe(3);
  });

  it('does not call wrong usage what cannot be asked of a payment that exists', async () => {
    await using world = await openWorld();
    const client = createClient({ apiKey: world.key, baseUrl: world.env.SERVICE_BASE_URL });
    const retrieve = (): Call<Payment> => client.payments.retrieve('no id of a payment');
    const bench: Bench = {
      client: { ...client, payments: { ...client.payments, retrieve } },
      stranger: client,
      mode: 'test',
      plan: { from: 'USD', to: 'EUR', amount: '1.00', name: 'Acme', purpose: 'P-1' },
      timeout: 5_000,
      readLag: 10_000,
      clock: systemClock,
      signal: new AbortController().signal,
    };
    const reports = await smoke(bench, async () => {});
    expect(reports[4]).toMatchObject({ name: 'retrieve', status: 'failed', blame: 'service' });
    expect(reports[5]).toMatchObject({ name: 'wait', status: 'ok' });
  });

  it('exits 3 when Ctrl+C comes between two steps', async () => {
    await using world = await openWorld();
    const controller = new AbortController();
    const { code, lines } = await runCli(['smoke'], {
      env: world.env,
      signal: controller.signal,
      onStdout: () => controller.abort('SIGINT'),
    });
    expect(code).toBe(3);
    expect(lines[1]).toMatch(/^skipped {2}balance .* interrupted$/);
  });

  it('goes on with what does not need a payment when there is none', async () => {
    await using world = await openWorld();
    const { code, document } = await runCli(['smoke', '--json', '--amount', '100000.01'], { env: world.env });
    expect(code).toBe(1);
    expect(Object.values(stepsOf(document)).join(' ')).toBe(
      'ok ok ok failed skipped skipped skipped ok ok ok',
    );
  });

  it('fails the step wait when the payment stays where it is', async () => {
    await using world = await openWorld();
    const argv = ['smoke', '--json', '--account', 'SIM-STUCK', '--timeout', '300ms'];
    const { code, document } = await runCli(argv, { env: world.env });
    expect(code).toBe(1);
    expect(stepsOf(document).wait).toBe('failed');
  });

  it('says that the payment may exist when the answer to a create is lost', async () => {
    await using world = await openWorld();
    const { code, stdout } = await runCli(['smoke', '--account', 'SIM-DROP'], { env: world.env });
    expect(code).toBe(3);
    expect(stdout).toMatch(/FAILED +create .*THE PAYMENT MAY EXIST/);
  });

  it('exits 3 and tries no more when nobody listens', async () => {
    const { code, document } = await runCli(['smoke', '--json'], { env: await closedEnvironment() });
    expect(code).toBe(3);
    expect(Object.values(stepsOf(document))).toEqual([
      'failed',
      ...Array.from({ length: 9 }, () => 'skipped'),
    ]);
  });

  it.each([
    ['--from', 'US'],
    ['--amount', '0.001'],
    ['--name', ''],
  ])('exits 2 for %s %j', async (option, value) => {
    await using world = await openWorld();
    const { code, stderr } = await runCli(['smoke', option, value], { env: world.env });
    expect(code).toBe(2);
    expect(stderr).toContain('error: ');
  });

  it('refuses a live key without --live, and --live without a beneficiary', async () => {
    const env = {
      SERVICE_API_KEY: keepSecret('service_live_0123456789abcdefghij'),
      SERVICE_BASE_URL: 'https://localhost:1/api/v1',
    };
    const fetch = (): Promise<Response> => Promise.reject(new Error('must not be called'));
    const refused = await runCli(['smoke'], { env, fetch });
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('pass --live');
    const nameless = await runCli(['smoke', '--live'], { env, fetch });
    expect(nameless.code).toBe(2);
    expect(nameless.stderr).toContain('--name');
  });
});
