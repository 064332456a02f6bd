// Files of payments that are recorded in Postgres.
import { describe, expect, onTestFinished } from 'vitest';
import { findPostgres, startPostgres } from '../../webhooks/test/stores/servers.ts';
import { createFile, listNames, namesOf } from './pay-file.support.ts';
import { toCsv } from './payment-csv.ts';
import { it, startMockServer } from './support.ts';

describe('pay-file with --store in Postgres', () => {
  it('pays each line once from two processes, and keeps files apart by the table', async () => {
    const database = await startPostgres(findPostgres());
    onTestFinished(database.stop);
    await using mockServer = await startMockServer();
    const url = new URL(database.url);
    const store = url.href;
    url.search = 'table=runs';
    const file = createFile(mockServer.env, toCsv(20));
    const run = ['--yes', '--store', store, '--timeout', '5s'];
    const codes = await Promise.all([file.pay(run), file.pay(run)]);
    expect(codes.map(({ code, stderr }) => [code, code === 0 ? '' : stderr])).toEqual([
      [0, ''],
      [0, ''],
    ]);
    expect(await listNames(mockServer)).toEqual(namesOf(20));
    const other = createFile(mockServer.env, toCsv(1).replace('Supplier', 'Other').replace('INV-1', 'NEW-1'));
    expect(await other.pay(['--yes', '--store', url.href])).toMatchObject({ code: 0 });
    const { documents } = await file.pay(['--status', '--store', url.href, '--json']);
    expect(documents).toMatchObject([{ reference: 'NEW-1', state: 'created' }, { summary: { payments: 1 } }]);
  });
});

describe.each([['postgres://user:secret@127.0.0.1:1/payments', 'connect ECONNREFUSED']])(
  'pay-file with --store %s of a server that is down',
  (store, expected) => {
    it('sends nothing, and names the reason without the password', async ({ mockServer }) => {
      const { code, stderr } = await createFile(mockServer.env, toCsv(1)).pay(['--yes', '--store', store]);
      expect(code).toBe(2);
      expect(stderr).toContain(expected);
      expect(stderr).not.toMatch(/secret|internal error/);
      expect(mockServer.mock.sandbox.requests.list()).toEqual([]);
    });
  },
);
