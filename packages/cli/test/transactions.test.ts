import type { MockOptions } from '@service/mock';
import { describe, expect, it } from 'vitest';
import { failedWrite, keepSecret, type MockServer, type Ran, runCli, startMockServer } from './support.ts';

async function startBusyMockServer(options: MockOptions = {}): Promise<MockServer> {
  const mockServer = await startMockServer({ clock: 'manual', ...options });
  for (const purpose of ['A', 'B', 'C']) {
    await mockServer.run(['pay', 'USD', 'EUR', '10.50', '--name', 'Acme', '--purpose', purpose]);
  }
  return mockServer;
}

describe('transactions', () => {
  it('prints a table, newest first', async () => {
    await using mockServer = await startBusyMockServer();
    const { code, lines } = await mockServer.run(['transactions', '--type', 'payment']);
    expect(code).toBe(0);
    expect(lines).toHaveLength(4);
    expect(lines[0]).toMatch(
      /^created_at +amount {2}type +status +payment_id +reference +balance_after {2}id$/,
    );
    expect(lines[1]).toMatch(
      / -10\.50 USD {2}payment {2}pending +pay_test_\w+ {2}C +99,968\.50 USD {2}txn_test_\w+$/,
    );
  });

  it('shows the amounts on a terminal of 40 columns', async () => {
    await using mockServer = await startBusyMockServer();
    const { lines } = await mockServer.run(['transactions', '--no-color'], { columns: 40 });
    expect(lines).toContainEqual(expect.stringMatching(/^created_at +amount {2}type/));
    expect(lines.every((line) => line.startsWith('(') || line.length <= 40)).toBe(true);
  });

  it('prints one document per line with --json', async () => {
    await using mockServer = await startBusyMockServer();
    const { documents } = await mockServer.run(['transactions', '--json', '--status', 'pending']);
    expect(documents.map(({ reference }) => reference)).toEqual(['C', 'B', 'A']);
  });

  it('prints one page and a note if there are more', async () => {
    await using mockServer = await startBusyMockServer();
    const first = await mockServer.run(['transactions', '--json', '--per-page', '4']);
    const second = await mockServer.run(['transactions', '--json', '--per-page', '4', '--page', '2']);
    expect(first.documents).toHaveLength(4);
    expect(first.stderr).toBe('There are more pages. Use --page or --all.\n');
    expect(second.documents).toHaveLength(2);
    expect(second.stderr).toBe('');
  });

  it('reads all pages with --all', async () => {
    await using mockServer = await startBusyMockServer();
    for (const perPage of [1, 2, 4, 6, 100]) {
      const argv = ['transactions', '--all', '--per-page', String(perPage)];
      const { documents } = await mockServer.run([...argv, '--json']);
      expect(new Set(documents.map(({ id }) => id)).size).toBe(6);
      const { lines } = await mockServer.run(argv);
      expect(lines.filter((line) => line.startsWith('created_at'))).toHaveLength(1);
      expect(lines).toHaveLength(7);
    }
  });

  it('prints amounts in cents in units of the currency, on all pages', async () => {
    const row = { id: '{id}', amount: '{amount cents}', currency: '{currency}', payment_id: '{payment_id}' };
    const profile = { rows: { debit: [row], refund: [row], deposit: [row], adjustment: [row] } };
    const argv = ['transactions', '--all', '--per-page', '2', '--json'];
    const readAmounts = async (options: MockOptions): Promise<unknown[]> => {
      await using mockServer = await startBusyMockServer(options);
      const { documents, stderr } = await mockServer.run(argv);
      expect(stderr).toBe('');
      return documents.map((document) => (document as { amount?: unknown }).amount);
    };
    const amounts = await readAmounts({ profile });
    expect(amounts).toHaveLength(6);
    expect(amounts).toEqual(await readAmounts({}));
  });

  it('exits 0 without a message if the output pipe is closed', async () => {
    await using mockServer = await startBusyMockServer();
    const { code, lines, stderr } = await mockServer.run(
      ['transactions', '--all', '--per-page', '1', '--json'],
      {
        onStdout: failedWrite('EPIPE'),
      },
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(lines).toHaveLength(1);
  });

  /** Runs the command against a service that responds with these pages. */
  const listPages = async (pages: readonly object[][], argv: readonly string[] = []): Promise<Ran> => {
    const env = {
      SERVICE_API_KEY: keepSecret('service_test_0123456789'),
      SERVICE_BASE_URL: 'http://localhost:1/v1',
    };
    const fetch = async ({ url }: Request): Promise<Response> => {
      const page = Number(new URL(url).searchParams.get('page') ?? 1);
      const items = pages[page - 1] ?? [];
      return Response.json({ success: true, mode: 'test', data: { items, page, pages: pages.length } });
    };
    return runCli(['transactions', ...argv], { env, fetch });
  };
  const foreign = {
    id: 7,
    kind: 'supplier_payment',
    from_currency: 'USD',
    send_amount: '10.50',
    description: 'Invoice 42',
    fee: null,
    direction: 'out',
    tags: ['a'],
  };

  it('prints only columns with values, including undocumented fields', async () => {
    const { code, lines } = await listPages([[foreign, { id: 8, kind: 'fee', amount: -1 }]]);
    expect(code).toBe(0);
    expect(lines).toEqual([
      '   amount  type              id  description  direction',
      '10.50 USD  supplier_payment  7   Invoice 42   out',
      '       -1  fee               8   -            -',
    ]);
  });

  it('prints a new heading if a later page has more columns', async () => {
    const later = { ...foreign, id: 9, reference: 'pay_test_1' };
    const { lines } = await listPages([[foreign], [later]], ['--all']);
    expect(lines.filter((line) => line.includes('amount'))).toEqual([
      '   amount  type              id  description  direction',
      '   amount  type              payment_id  id  description  direction',
    ]);
  });

  it('warns about an unreadable transaction', async () => {
    const { code, stdout, stderr } = await listPages([[{ id: 1, amount: {} }, { id: 2 }]], ['--json']);
    expect([code, stdout]).toEqual([0, '{"id":"2"}\n']);
    expect(stderr).toBe(
      'warning: Left out 1 of 2 transactions of a page: data.items[0].amount is an object, not an amount.\n',
    );
  });
});
