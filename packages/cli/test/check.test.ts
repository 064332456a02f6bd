import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { closedEnvironment, expectRefusals, it, makeFolder, runCli, startMockServer } from './support.ts';

const header = 'reference,from,to,amount,name,account,purpose';
const lines = [
  'order-1,USD,EUR,100.00,Acme Ltd,,INV-1',
  'order-2,USD,EUR,250.00,Bolt GmbH,SIM-FAIL,INV-2',
  'order-3,USD,EUR,70.00,Cassia SA,,INV-3',
];
const since = ['--since', '2026-01-31T00:00:00Z'];

/** Writes a file, and returns the command that checks it. */
function createCheck(records: readonly string[]) {
  const folder = makeFolder();
  const file = join(folder, 'payments.csv');
  writeFileSync(file, records.join('\n'));
  return { folder, file, check: ['payment', 'check', file, ...since, '--until', '2026-02-01T00:00:00Z'] };
}

/** Starts a mock with the payments of some lines, each final since yesterday. */
async function payLines(paid: readonly string[] = lines) {
  const service = await startMockServer({ clock: 'manual' });
  const { file } = createCheck([header, ...paid]);
  const { code } = await service.run(['pay-file', file, '--yes']);
  expect(code).toBe(0);
  await service.mock.sandbox.clock.advance('24h');
  return service;
}

describe('payment check', () => {
  it('exits 0 if all records agree', async () => {
    await using service = await payLines([lines[0]!, lines[2]!]);
    const { check } = createCheck([header, lines[0]!, lines[2]!]);
    const { code, stdout, stderr } = await service.run(check);
    expect(stdout).toBe('agrees 2, failed 0, differs 0, missing 0, extra 0, undecided 0\n');
    expect([code, stderr]).toEqual([0, '']);
  });

  it('prints and reports what differs, failed, is missing or extra, and exits 1', async () => {
    await using service = await payLines();
    // With the field names of the API, and in another order.
    const { folder, check } = createCheck([
      'beneficiary_name,from_currency,to_currency,amount,reference,purpose,beneficiary_account',
      'Acme Ltd,USD,EUR,110.00,order-1,INV-1,',
      'Bolt GmbH,USD,EUR,250.00,order-2,INV-2,SIM-FAIL',
      'Dora,EUR,USD,7.00,order-4,INV-4,',
    ]);
    const report = join(folder, 'out.csv');
    const { code, stdout } = await service.run([...check, '--report', report]);
    expect(stdout.replaceAll(/pay_test_\w+/g, 'pay_test_…')).toMatchInlineSnapshot(`
      "line  reference  result   status         amount  details           payment_id
         2  order-1    differs  completed  110.00 USD  amount            pay_test_…
         3  order-2    failed   failed     250.00 USD  refunded 250 USD  pay_test_…
         4  order-4    missing               7.00 EUR
         -  -          extra    completed   70.00 USD                    pay_test_…

      agrees 0, failed 1, differs 1, missing 1, extra 1, undecided 0
      "
    `);
    expect(code).toBe(1);
    const rows = readFileSync(report, 'utf8').split('\r\n');
    expect(rows[0]).toBe('line,reference,result,status,amount,from_currency,to_currency,details,payment_id');
    expect(rows[1]).toMatch(/^2,order-1,differs,completed,110.00,USD,EUR,amount,pay_test_\w+$/);
    expect(rows[4]).toMatch(/^,,extra,completed,70,USD,EUR,,pay_test_\w+$/);
    expect(rows.join()).not.toMatch(/Acme|Bolt|Cassia/);
  });

  it('prints one document per record and a summary with --json, also for a column of payment ids', async () => {
    await using service = await payLines([lines[0]!]);
    const [id] = service.mock.sandbox.requests
      .list({ operation: 'createPayment' })
      .map((one) => one.effects.payment_id);
    const { check } = createCheck([
      'reference,payment_id,from,to,amount,name,purpose',
      `order-1,${id},USD,EUR,100.00,Acme Ltd,INV-1`,
      'order-2,pay_test_unknown,USD,EUR,100.00,Acme Ltd,INV-1',
    ]);
    const { code, documents } = await service.run([...check, '--json']);
    expect(documents).toMatchObject([
      { line: 2, reference: 'order-1', result: 'agrees', payment_id: id },
      { line: 3, reference: 'order-2', result: 'missing', payment_id: '' },
      { summary: { agrees: 1, missing: 1, unseen: [] } },
    ]);
    expect(code).toBe(1);
  });

  it('exits 3 if the account gives no answer', async () => {
    await using service = await payLines([lines[0]!]);
    const twins = createCheck([header, lines[0]!, lines[0]!.replace('order-1', 'order-9')]);
    const { code, stdout } = await service.run(twins.check);
    expect(stdout).toContain('twins');
    expect(code).toBe(3);
    const { file } = createCheck([header, lines[0]!]);
    const early = await service.run(['payment', 'check', file, ...since, '--until', '2027-01-01T00:00:00Z']);
    expect(early.stderr).toContain('Not seen: The last payments of the period may not be shown yet.');
    expect(early.code).toBe(3);
  });

  it('exits 3 if the account cannot be read', async () => {
    const { check } = createCheck([header, ...lines]);
    const { code, stderr } = await runCli(check, { env: await closedEnvironment() });
    expect(stderr).toContain('The account could not be read. Nothing was compared.');
    expect(code).toBe(3);
  });

  it('refuses wrong options and files before the first request', async () => {
    const { file } = createCheck([header, ...lines]);
    const { file: wrong } = createCheck([header, 'order-1,USD,EUR,1e3,Acme Ltd,,INV-1']);
    const env = {
      SERVICE_API_KEY: 'service_test_0123456789abcdefghij',
      SERVICE_BASE_URL: 'http://localhost:1/api/v1',
    };
    await expectRefusals({ command: 'payment check', env }, [
      [[file], "required option '--since <time>' not specified"],
      [[wrong, ...since], 'line 2: amount must be a plain decimal'],
      [[file, ...since, '--report', 'out.txt'], '--report must be the name of a file that ends in .csv.'],
      [[file, ...since, '--until', '2026-01-30T00:00:00Z'], '--until must be later than --since.'],
      [['none.csv', ...since], 'Cannot read'],
    ]);
  });
});
