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

  it('prints the newest page, and reads all pages with --all and only the requests of these', async () => {
    await using mockServer = await startBusyMockServer();
    const pending = await mockServer.run(['transactions', '--json', '--status', 'pending']);
    expect(pending.documents.map(({ reference }) => reference)).toEqual(['C', 'B', 'A']);
    const first = await mockServer.run(['transactions', '--json', '--per-page', '4']);
    expect(first.documents).toHaveLength(4);
    expect(first.stderr).toBe('There are more pages. Use --all.\n');
    const { requests } = mockServer.mock.sandbox;
    for (const perPage of [1, 2, 4, 6, 100]) {
      const argv = ['transactions', '--all', '--per-page', String(perPage)];
      const { documents } = await mockServer.run([...argv, '--json']);
      expect(new Set(documents.map(({ id }) => id)).size).toBe(6);
      requests.clear();
      const { lines } = await mockServer.run(argv);
      expect(requests.list()).toHaveLength(Math.ceil(6 / perPage));
      expect(lines.filter((line) => line.startsWith('created_at'))).toHaveLength(1);
      expect(lines).toHaveLength(7);
    }
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
  it('prints the documented fields of rows with other names, and all fields with --json', async () => {
    const foreign = {
      id: 7,
      kind: 'supplier_payment',
      from_currency: 'USD',
      send_amount: '10.50',
      tags: ['a'],
    };
    const { code, lines } = await listPages([[foreign, { id: 8, kind: 'fee', amount: -1 }]]);
    expect(code).toBe(0);
    expect(lines[1]).toMatch(/^- +10\.50 USD {2}supplier_payment .* 7$/);
    expect(lines[2]).toMatch(/^- +-1 {2}fee .* 8$/);
    expect((await listPages([[foreign]], ['--json'])).document).toMatchObject({ tags: ['a'] });
  });

  it('warns about an unreadable transaction', async () => {
    const { code, stdout, stderr } = await listPages([[{ id: 1, amount: {} }, { id: 2 }]], ['--json']);
    expect([code, stdout]).toEqual([
      0,
      '{"id":"2","fee":null,"balance_after":null,"payment_id":null,"reference":null}\n',
    ]);
    expect(stderr).toBe(
      'warning: Left out 1 of 2 transactions of a page: data.items[0].amount is not an amount.\n',
    );
  });
});
