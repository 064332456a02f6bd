import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect } from 'vitest';
import type { RunClock } from '@service/internal';
import {
  closedEnvironment,
  expectRefusals,
  it,
  type MockServer,
  openService,
  type Ran,
  runCli,
  startMockServer,
  testKey,
} from './support.ts';

const folder = mkdtempSync(join(tmpdir(), 'service-cli-'));
const file = join(folder, 'out.json');
afterAll(() => rmSync(folder, { recursive: true }));

const payArgs = ['pay', 'USD', 'EUR', '100.00', '--name', 'Acme'];
const reconcileArgs = ['payment', 'reconcile', 'USD', 'EUR', '100.00'];
const beneficiary = ['--name', 'Acme', '--account', 'SIM-DROP'];
const since = '2026-01-31T12:00:00Z';
const start = Date.parse(since);

/** Creates a clock that does not wait, and records the waits. */
function createClock(onSleep: (count: number) => void = () => {}): RunClock & { readonly slept: number[] } {
  const slept: number[] = [];
  let now = start;
  return {
    slept,
    now: () => now,
    sleep: async (milliseconds) => {
      slept.push(milliseconds);
      now += milliseconds;
      onSleep(slept.length);
    },
  };
}

/** Creates a payment whose response is lost, and saves the output of `pay --json`. */
async function loseResponse(mockServer: MockServer, purpose: string | null = 'INV-42'): Promise<Ran> {
  const options = purpose === null ? [] : [`--purpose=${purpose}`];
  const lost = await mockServer.run([...payArgs, '--account', 'SIM-DROP', ...options, '--json']);
  writeFileSync(file, lost.stdout);
  return lost;
}

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

  it.each(['file', 'stdin'])('finds the payment by an error from %s', async (where) => {
    await using mockServer = await startMockServer();
    const { stdout } = await loseResponse(mockServer);
    const argv = ['payment', 'reconcile', '--error', where === 'file' ? file : '-', '--json'];
    const listed = await mockServer.run(argv, { stdin: stdout });
    expect(listed.code).toBe(3);
    expect(listed.document).toMatchObject({ result: 'ambiguous', evidence: 'purpose' });
    const { code, document } = await mockServer.run([...argv, ...beneficiary], {
      stdin: stdout,
    });
    expect(code).toBe(0);
    expect(document).toMatchObject({
      result: 'found',
      evidence: 'purpose+beneficiary',
      payment: { purpose: 'INV-42' },
    });
  });

  it.each(['\ufeff', 'error: what stderr said\n'])(
    'finds the payment by a document that follows %j',
    async (before) => {
      await using mockServer = await startMockServer();
      const { stdout } = await loseResponse(mockServer);
      const argv = ['payment', 'reconcile', '--error', '-', ...beneficiary];
      expect((await mockServer.run(argv, { stdin: before + stdout })).code).toBe(0);
    },
  );

  it('ignores the payments of --exclude', async ({ mockServer }) => {
    await loseResponse(mockServer);
    const argv = ['payment', 'reconcile', '--error', file, ...beneficiary, '--json'];
    const { document: found } = await mockServer.run(argv);
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

  it('counts the read lag from the end of the request in --error', async ({ mockServer }) => {
    const [sentAt, failedAt] = [600_000, 0].map((age) => new Date(Date.now() - age).toISOString());
    const { document } = await mockServer.run(['payment', 'reconcile', '--error', '-', '--json'], {
      stdin: toError({ sentAt, failedAt }),
    });
    expect(document).toMatchObject({ result: 'cannot_tell', reason: 'read_lag' });
  });

  it('lists all matching payments and exits 3', async ({ mockServer }) => {
    await loseResponse(mockServer);
    await loseResponse(mockServer);
    const argv = ['payment', 'reconcile', '--error', file];
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

describe('payment reconcile --wait', () => {
  it('tries again with growing delays until there is a transaction', async ({ mockServer }) => {
    const paid: Promise<Ran>[] = [];
    const clock = createClock((count) => {
      if (count === 7) paid.push(mockServer.run([...payArgs, '--purpose', 'INV-42']));
    });
    const sleep = clock.sleep;
    const payingClock = {
      ...clock,
      sleep: async (milliseconds: number, signal: AbortSignal) => {
        await sleep(milliseconds, signal);
        await Promise.all(paid);
      },
    };
    const argv = [
      ...reconcileArgs,
      '--since',
      since,
      '--purpose',
      'INV-42',
      '--name',
      'Acme',
      '--exclude',
      'none',
      '--wait',
      '10m',
      '--json',
    ];
    const { code, documents, stderr } = await mockServer.run(argv, { clock: payingClock });
    expect(code).toBe(0);
    expect(documents).toHaveLength(1);
    expect(clock.slept).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
    expect(stderr).toContain('No transaction found yet; checking again in 4 s.\n');
  });

  it('tries once more at the end of the time, and exits 3', async ({ mockServer }) => {
    const clock = createClock();
    const argv = [...reconcileArgs, '--since', since, '--wait', '5s', '--json'];
    const { code, document } = await mockServer.run(argv, { clock });
    expect({ code, document }).toEqual({
      code: 3,
      document: { result: 'not_found_yet', reason: 'no_record' },
    });
    expect(clock.slept).toEqual([1_000, 2_000, 2_000]);
  });

  it('tries again while the service is unreachable', async () => {
    const env = await closedEnvironment();
    const clock = createClock();
    const { code, document } = await runCli([...reconcileArgs, '--since', since, '--wait', '3s', '--json'], {
      env,
      clock,
    });
    expect(code).toBe(3);
    expect(clock.slept).toEqual([1_000, 2_000]);
    expect(document.error).toMatchObject({ name: 'ReconciliationFailedError', outcome: 'unknown' });
  });

  it('ends immediately on Ctrl+C', async ({ mockServer }) => {
    const controller = new AbortController();
    const clock = createClock(() => controller.abort('SIGINT'));
    const argv = [...reconcileArgs, '--since', since, '--wait', '10m', '--json'];
    const { signal } = controller;
    const { code, document } = await mockServer.run(argv, { clock, signal });
    expect({ code, document }).toEqual({
      code: 3,
      document: { result: 'not_found_yet', reason: 'no_record' },
    });
    expect(clock.slept).toEqual([1_000]);
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

  it('exits 3 if not all transactions are read in time', async () => {
    await using service = await openService(() => {});
    const argv = [...reconcileArgs, '--since', since, '--timeout', '50ms'];
    const { code, stderr } = await runCli(argv, { env: service.env });
    expect(code).toBe(3);
    expect(stderr).toContain('cause: Not all transactions were read within --timeout.');
  });
});

const lost = {
  name: 'PaymentOutcomeUnknownError',
  sentAt: since,
  sent: { amount: '100.00', from_currency: 'USD', to_currency: 'EUR' },
};
const toError = (fields: object): string => JSON.stringify({ error: { ...lost, ...fields } });

describe('payment reconcile with invalid input', () => {
  const env = { SERVICE_API_KEY: testKey };

  it('exits 2 for an error that cannot be reconciled', async () => {
    await expectRefusals({ command: 'payment reconcile --error -', env }, [
      [[], 'is empty: pay was ended before it printed a result', { stdin: '' }],
      [[], 'is not a JSON object', { stdin: '{' }],
      [[], 'has no error but the payment pay_test_1', { stdin: '{"id":"pay_test_1","status":"pending"}' }],
      [
        [],
        'has the error "InsufficientFundsError"',
        { stdin: '{"error":{"name":"InsufficientFundsError","outcome":"rejected"}}' },
      ],
      [
        [],
        'with the outcome not_sent, so there is nothing to reconcile.',
        { stdin: '{"error":{"name":"ConnectionError","outcome":"not_sent"}}' },
      ],
      [[], 'has an error without a name', { stdin: '{"error":{}}' }],
      [
        [],
        'the payment exists. Retrieve it with:\n  service-cli payment get pay_test_1\n',
        { stdin: '{"id":"pay_test_1"}\n{"error":{"name":"PaymentExistsError","id":"pay_test_1"}}\n' },
      ],
      [[], 'error.sentAt must be a time', { stdin: toError({ sentAt: undefined }) }],
      [[], 'error.sent the payment, as pay --json', { stdin: toError({ sent: '100.00' }) }],
      [[], 'amount must be', { stdin: toError({ sent: { ...lost.sent, amount: '1,5' } }) }],
      [
        [],
        'to_currency must be a 3-letter',
        { stdin: toError({ sent: { ...lost.sent, to_currency: 'EURO' } }) },
      ],
      [[], "A payment id must have the form 'pay_test_", { stdin: toError({ paymentId: '../balance' }) }],
    ]);
  });

  it('exits 2 for invalid options', async () => {
    await expectRefusals({ command: 'payment reconcile', env, stdin: toError({}) }, [
      [[], 'Pass FROM TO AMOUNT --since TIME'],
      ['USD EUR 1 --since yesterday', 'Write a full time with its offset'],
      ['USD EUR 1 --since 2026-01-31T12:00:00', 'add Z or an offset such as +01:00.'],
      ['USD EUR 1 --since 2999-01-31T12:00:00+0100', '--since must not be in the future'],
      ['USD EUR 1 --error -', '--error replaces FROM TO AMOUNT'],
      [['--error', '-', '--since', since], '--error replaces FROM TO AMOUNT'],
      [['USD', 'EUR', '1', '--since', since, '--account', 'x'], '--account needs --name'],
      ['--error /nowhere.json', 'there is no such file'],
      ['--error - --key-file -', "Only one option or argument can be '-'"],
      [['USD', 'EUR', '1', '--since', since, '--wait', '0s'], 'Write a duration above 0'],
    ]);
  });
});
