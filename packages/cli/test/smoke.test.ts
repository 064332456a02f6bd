import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ProfileChoice } from '@service/mock';
import { describe, expect } from 'vitest';
import {
  closedEnvironment,
  type Document,
  expectRefusals,
  it,
  keepSecret,
  makeFolder,
  runCli,
  startMockServer,
  testKey,
} from './support.ts';

const names = [
  'balance',
  'quote',
  'create',
  'retrieve',
  'wait',
  'transactions',
  'wrong key',
  'unknown payment',
];

interface TransactionRow {
  payment_id?: string;
  reference?: string;
  id?: string;
  amount?: number;
  fee?: number | null;
  balance_after?: number;
  type?: string;
}

/** The fields of a response body that tests change. */
interface Body {
  success: boolean;
  mode?: string;
  error?: { message: string };
  data?: {
    receive_amount?: number;
    send_amount?: number;
    status?: string;
    rate?: number;
    transactions?: TransactionRow[];
    balances?: { currency: string }[];
    pagination?: unknown;
  };
}
type Change = (body: Body, request: Request, response: Response) => Response | void;

/** Creates a `fetch` that changes the responses of the service. */
function changeResponses(change: Change): (request: Request) => Promise<Response> {
  return async (request) => {
    const response = await fetch(request);
    const body = (await response.json()) as Body;
    return change(body, request, response) ?? Response.json(body, response);
  };
}

const stepsOf = (document: Document): Record<string, string> =>
  Object.fromEntries(document.steps.map(({ name, status }) => [name, status]));

describe('smoke', () => {
  it('passes against the sandbox and creates one payment', async ({ mockServer }) => {
    const { code, document } = await mockServer.run(['smoke', '--json']);
    expect(code).toBe(0);
    expect(document).toMatchObject({ ok: true, mode: 'test' });
    expect(stepsOf(document)).toEqual(Object.fromEntries(names.map((name) => [name, 'ok'])));
    const { documents } = await mockServer.run(['transactions', '--type', 'payment', '--json']);
    expect(documents).toHaveLength(1);
  });

  describe('--junit', () => {
    async function runWithReport(argv: string[], change?: Change) {
      await using mockServer = await startMockServer();
      const file = join(makeFolder(), 'smoke.xml');
      const run = await mockServer.run(['smoke', ...argv, '--junit', file], {
        ...(change && { fetch: changeResponses(change) }),
      });
      return { ...run, xml: await readFile(file, 'utf8') };
    }

    it('writes a test case for each step, with failed as a final status', async () => {
      const { code, xml } = await runWithReport(['--account', 'SIM-FAIL-EARLY']);
      expect(code).toBe(0);
      expect(xml).toMatch(/^<\?xml version="1\.0" encoding="UTF-8"\?>\n<testsuite name="service-cli smoke"/);
      expect(xml).toContain('tests="8" failures="0" errors="0" skipped="0"');
      expect([...xml.matchAll(/<testcase [^>]*name="([^"]*)"/g)].map(([, name]) => name)).toEqual(names);
    });

    it('writes failures with escaped text, and skipped steps', async () => {
      const { code, xml } = await runWithReport([], (body) => {
        if (body.data?.balances?.[0]) body.data.balances[0].currency = `<&"\u0007\uffff`;
      });
      expect(code).toBe(1);
      expect(xml).toContain('<failure message="a wallet has the currency &quot;&lt;&amp;');
      expect(xml).toContain('<skipped message="the first step failed"/>');
      // The production Char of XML 1.0: no control characters except white space, and no U+FFFE and U+FFFF.
      expect(xml).not.toMatch(/[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/u);
    });
  });

  it.each<ProfileChoice>([{ successStatus: { createPayment: 200 } }, { numbers: 'string' }])(
    'passes against a service of the profile %j',
    async (profile) => {
      await using mockServer = await startMockServer({ profile });
      const { code, document } = await mockServer.run(['smoke', '--json', '--account', 'SIM-INSTANT']);
      expect(document.steps.filter(({ status }) => status === 'failed')).toEqual([]);
      expect(code).toBe(0);
    },
  );

  it.each<[string, (row: TransactionRow) => object, string]>([
    [
      'have neither payment_id nor reference',
      (row) => ({ ...row, payment_id: undefined, reference: undefined }),
      'the transactions have neither payment_id nor reference',
    ],
    [
      'are unreadable',
      (row) => ({ ...row, amount: 'USD 5' }),
      'transactions of a page: data.transactions[0].amount is not an amount;',
    ],
  ])(
    'warns and exits 3 if the transactions %s, because lost payments cannot be found',
    async (_, bend, detail) => {
      await using mockServer = await startMockServer();
      const { code, lines, stdout } = await mockServer.run(['smoke', '--account', 'SIM-INSTANT'], {
        fetch: changeResponses(({ data, ...body }) =>
          data?.transactions
            ? Response.json({ ...body, data: { transactions: data.transactions.map(bend) } })
            : undefined,
        ),
      });
      expect(stdout).toMatch(/^WARNING {2}transactions .*\. PAYMENT RECONCILE WILL NOT WORK/m);
      expect(stdout).toContain(detail);
      expect(lines.at(-1)).toBe('WARNING: 8 steps, 0 failed, 1 with a warning');
      expect(code).toBe(3);
    },
  );

  it('fails and exits 3 if no array holds the transactions', async ({ mockServer }) => {
    const { code, document } = await mockServer.run(['smoke', '--json'], {
      fetch: changeResponses(({ data, ...body }) =>
        data?.transactions ? Response.json({ ...body, data: { count: 1, newest: {} } }) : undefined,
      ),
    });
    const step = document.steps.find(({ name }) => name === 'transactions');
    expect(step).toMatchObject({ status: 'failed', cause: 'unknown' });
    expect(step?.detail).toContain('It has the fields `success`; `mode`; `data.count`.');
    expect(code).toBe(3);
  });

  it('finds the payment in a transaction with other field names and an integer id', async ({
    mockServer,
  }) => {
    const { code, document } = await mockServer.run(['smoke', '--json'], {
      fetch: changeResponses(({ data, ...body }) =>
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

  const lost = { cause: 'unknown', detail: expect.stringMatching(/HTTP 50[03]/) as string };
  it.each<[string, string, Change, object?]>([
    [
      'create',
      'creates a payment with another amount',
      ({ data }, { url }) => {
        if (url.endsWith('/payments') && data) data.send_amount = 9;
      },
    ],
    [
      'transactions',
      'omits the transaction',
      ({ data }) => {
        if (data?.transactions) data.transactions = [];
      },
    ],
    ['balance', 'omits the mode', (body) => void delete body.mode],
    [
      'wrong key',
      'accepts an unknown key',
      (_body, _request, { status }) =>
        status === 401 ? Response.json({ success: true, mode: 'test', data: { balances: [] } }) : undefined,
    ],
    [
      'wrong key',
      'responds with 500 to it',
      (body, _, { status }) => (status === 401 ? Response.json(body, { status: 500 }) : undefined),
      lost,
    ],
    [
      'unknown payment',
      'responds with 503 to it',
      (body, _, { status }) => (status === 404 ? Response.json(body, { status: 503 }) : undefined),
      lost,
    ],
  ])('fails the step %s if the service %s', async (name, _, change, expected = {}) => {
    await using mockServer = await startMockServer();
    const { code, document } = await mockServer.run(['smoke', '--json', '--account', 'SIM-INSTANT'], {
      fetch: changeResponses(change),
    });
    expect([code, document.ok]).toEqual([expected === lost ? 3 : 1, false]);
    expect(document.steps.find(({ status }) => status === 'failed')).toMatchObject({ name, ...expected });
  });

  it('creates no payment if the quote fails', async ({ mockServer }) => {
    const { code, document } = await mockServer.run(['smoke', '--json'], {
      fetch: changeResponses(({ data }, { url }) => {
        if (url.endsWith('/quotes') && data) data.receive_amount = 0;
      }),
    });
    expect(code).toBe(1);
    expect(Object.values(stepsOf(document)).join(' ')).toBe(
      'ok failed skipped skipped skipped skipped ok ok',
    );
    expect(document.steps[2]!.detail).toBe('no valid quote was received');
    const { documents } = await mockServer.run(['transactions', '--type', 'payment', '--json']);
    expect(documents).toEqual([]);
  });

  it.each<[string, string, Change]>([
    ['responds with 503', 'failed', () => Response.json({ message: 'Busy.' }, { status: 503 })],
    ['responds with the other mode', 'failed', (body) => void (body.mode = 'live')],
  ])('exits 3 and skips the other steps if the service %s at the first step', async (_, status, change) => {
    await using mockServer = await startMockServer();
    const { code, document } = await mockServer.run(['smoke', '--json'], {
      fetch: changeResponses(change),
    });
    expect(code).toBe(3);
    const [first, ...others] = document.steps;
    expect(first!.status).toBe(status);
    expect(new Set(others.map(({ detail }) => detail))).toEqual(new Set(['the first step failed']));
  });

  it('exits 3 and continues if a create fails with 500', async ({ mockServer }) => {
    const { code, document } = await mockServer.run(['smoke', '--json', '--account', 'SIM-500']);
    expect(code).toBe(3);
    expect(document.steps[2]!.detail).toContain('THE PAYMENT MAY EXIST');
    expect(Object.values(stepsOf(document)).join(' ')).toBe('ok ok failed skipped skipped skipped ok ok');
  });

  it('exits 3 on Ctrl+C between two steps', async ({ mockServer }) => {
    const controller = new AbortController();
    const { code, lines } = await mockServer.run(['smoke'], {
      signal: controller.signal,
      onStdout: () => controller.abort('SIGINT'),
    });
    expect(code).toBe(3);
    expect(lines[1]).toMatch(/^skipped {2}quote .* interrupted$/);
  });

  it('fails the step wait if the payment reaches no final status', async ({ mockServer }) => {
    const argv = ['smoke', '--json', '--account', 'SIM-STUCK', '--timeout', '300ms'];
    const { code, document } = await mockServer.run(argv);
    expect(code).toBe(1);
    expect(stepsOf(document).wait).toBe('failed');
  });

  it('exits 2 for invalid values, and for a live key without --live or a name', async () => {
    const env = {
      SERVICE_API_KEY: keepSecret('service_live_0123456789abcdefghij'),
      SERVICE_BASE_URL: 'https://localhost:1/api/v1',
    };
    await expectRefusals({ command: 'smoke', env: { SERVICE_API_KEY: testKey } }, [
      ['--from US', 'from_currency'],
      ['--to EURO', 'to_currency'],
      ...['abc', '0.001', '-5'].map((amount) => [['--amount', amount], 'amount'] as const),
      [['--account', ' '], '--account'],
      [['--name', ''], '--name'],
      [[], 'Pass --live', { env }],
      ['--live', '--name', { env }],
    ]);
  });

  it('exits 1 if the address is not reachable, and skips the other steps', async () => {
    const { code, document } = await runCli(['smoke', '--json'], { env: await closedEnvironment() });
    expect(code).toBe(1);
    expect(document.steps[0]).toMatchObject({ status: 'failed', cause: 'unreachable' });
    expect(document.steps[0]?.detail).toMatch(/^not reachable: .*ECONNREFUSED/);
    expect(new Set(document.steps.slice(1).map(({ detail }) => detail))).toEqual(
      new Set(['the service cannot be reached']),
    );
  });

  it('creates the payment of its options', async ({ mockServer }) => {
    const argv = ['smoke', '--from', 'gbp', '--to', 'USD', '--amount', '2.50', '--name', 'Acme'];
    expect((await mockServer.run(argv)).code).toBe(0);
    const { documents } = await mockServer.run(['transactions', '--type', 'payment', '--json']);
    expect(documents[0]).toMatchObject({ currency: 'GBP', amount: -2.5 });
  });
});
