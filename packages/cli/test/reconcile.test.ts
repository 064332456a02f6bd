import { describe, expect } from 'vitest';
import { expectRefusals, it, type MockServer, openService, type Ran, runCli, testKey } from './support.ts';

const payArgs = ['pay', 'USD', 'EUR', '100.00', '--name', 'Acme'];
const reconcileArgs = ['payment', 'reconcile', 'USD', 'EUR', '100.00'];
const beneficiary = ['--name', 'Acme', '--account', 'SIM-DROP'];
const since = '2026-01-31T12:00:00Z';

/** Creates a payment whose response is lost. */
const loseResponse = (mockServer: MockServer): Promise<Ran> =>
  mockServer.run([...payArgs, '--account', 'SIM-DROP', '--purpose=INV-42', '--json']);

describe('payment reconcile', () => {
  it('finds the payment by its fields', async ({ mockServer }) => {
    const sentAt = new Date().toISOString();
    await loseResponse(mockServer);
    const fields = [...reconcileArgs, '--since', sentAt, '--purpose', 'INV-42', ...beneficiary];
    const alone = await mockServer.run(fields);
    expect(alone.code).toBe(3);
    expect(alone.stdout).toContain('--exclude none');
    const argv = [...fields, '--exclude', 'none'];
    const { code, document } = await mockServer.run([...argv, '--json']);
    expect(code).toBe(0);
    expect(document).toMatchObject({ result: 'found', payment: { purpose: 'INV-42', send_amount: 100 } });
    const human = await mockServer.run(argv);
    expect(human.code).toBe(0);
    expect(human.lines.at(-1)).toBe(
      'Found by its purpose and beneficiary: THE PAYMENT EXISTS. Do not create it again.',
    );
    expect(human.lines).toContain('purpose:             INV-42');
  });

  it('ignores the payments of --exclude', async ({ mockServer }) => {
    const sentAt = new Date().toISOString();
    await loseResponse(mockServer);
    const argv = [...reconcileArgs, '--since', sentAt, '--purpose', 'INV-42', ...beneficiary, '--json'];
    const { document: found } = await mockServer.run([...argv, '--exclude', 'none']);
    const { id } = (found as unknown as { payment: { id: string } }).payment;
    const { code, document } = await mockServer.run([
      ...argv,
      '--exclude',
      'pay_test_other',
      '--exclude',
      id,
    ]);
    expect({ code, document }).toMatchObject({
      code: 3,
      document: { result: 'cannot_tell', reason: 'read_lag' },
    });
  });

  it('lists all matching payments and exits 3', async ({ mockServer }) => {
    const sentAt = new Date().toISOString();
    await loseResponse(mockServer);
    await loseResponse(mockServer);
    const argv = [...reconcileArgs, '--since', sentAt, '--purpose', 'INV-42'];
    const { code, document } = await mockServer.run([...argv, '--json']);
    expect(code).toBe(3);
    expect(document).toMatchObject({
      result: 'ambiguous',
      payments: [{ send_amount: 100 }, { send_amount: 100 }],
    });
    const human = await mockServer.run(argv);
    expect(human.lines.filter((line) => line.startsWith('id:'))).toHaveLength(2);
    expect(human.lines.at(-1)).toContain('Do not create it again');
  });

  it('exits 3 without a matching transaction, and warns not to create the payment again', async ({
    mockServer,
  }) => {
    const argv = [...reconcileArgs, '--since', since];
    const { code, stdout, document } = await mockServer.run([...argv, '--json']);
    expect(code).toBe(3);
    expect(stdout).toBe('{"result":"not_found_yet","reason":"no_record"}\n');
    expect(document).toEqual({ result: 'not_found_yet', reason: 'no_record' });
    const human = await mockServer.run(argv);
    expect(human.code).toBe(3);
    expect(human.stdout).toContain('this proves nothing');
    expect(human.stdout).toContain('Do not create it again');
  });
});

describe('payment reconcile without readable transactions', () => {
  it.each([401, 403, 404, 500])(
    'exits 3 for a %i, which does not reveal whether the payment exists',
    async (status) => {
      await using service = await openService((_, response) => {
        response.writeHead(status, { 'content-type': 'application/json', 'retry-after': '0' });
        response.end('{"success":false,"error":{"type":"some_error","message":"No."}}');
      });
      const { code, stdout, stderr } = await runCli([...reconcileArgs, '--since', since], {
        env: service.env,
      });
      expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
      expect(stderr).toMatch(new RegExp(`^cause: No\\..*\\(some_error, HTTP ${status}\\)$`, 'm'));
      expect(stderr).toContain('THE PAYMENT MAY EXIST. Do not create it again');
    },
  );
});

it('payment reconcile refuses invalid options', async () => {
  const payment = [...reconcileArgs.slice(2), '--since', since];
  await expectRefusals({ command: 'payment reconcile', env: { SERVICE_API_KEY: testKey } }, [
    ['USD EUR 1', "required option '--since <time>' not specified"],
    ['USD EUR 1 --since yesterday', 'Write a full time with its offset'],
    ['USD EUR 1 --since 2026-01-31T12:00:00', 'add Z or an offset such as +01:00.'],
    ['USD EUR 1 --since 2999-01-31T12:00:00+0100', '--since must not be in the future'],
    [['USD', 'EUR', '1,5', '--since', since], 'amount must be'],
    [['USD', 'EURO', '1', '--since', since], 'to_currency must be a 3-letter'],
    [[...payment, '--account', 'x'], '--account needs --name'],
  ]);
});
