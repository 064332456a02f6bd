import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import type { Clock } from '../src/clock.ts';
import { quote } from '../src/shell.ts';
import {
  closedEnvironment,
  failedWrite,
  openService,
  openWorld,
  runCli,
  type Ran,
  testKey,
  type World,
} from './support.ts';
import { runs } from '../../../test/support/runs.ts';

const folder = mkdtempSync(join(tmpdir(), 'service-cli-'));
const file = join(folder, 'out.json');
afterAll(() => rmSync(folder, { recursive: true }));

const order = ['pay', 'USD', 'EUR', '100.00', '--name', 'Acme'];
const wanted = ['payment', 'reconcile', 'USD', 'EUR', '100.00'];
const beneficiary = ['--name', 'Acme', '--account', 'SIM-DROP'];
const since = '2026-01-31T12:00:00Z';
const start = Date.parse(since);

/** A clock that passes at once, and what was waited for. */
function createClock(onSleep: (count: number) => void = () => {}): Clock & { readonly slept: number[] } {
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

/** A sandbox that holds a payment whose answer was lost, and what `pay --json` printed of it. */
async function loseAnswer(world: World, purpose: string | null = 'INV-42'): Promise<Ran> {
  const options = purpose === null ? [] : [`--purpose=${purpose}`];
  const lost = await runCli([...order, '--account', 'SIM-DROP', ...options, '--json'], { env: world.env });
  writeFileSync(file, lost.stdout);
  return lost;
}

/** Runs a line that was advised as a shell does. */
function readLine(stderr: string): string[] {
  const line = /^ {2}service-cli (.*)$/m.exec(stderr)?.[1] ?? '';
  const script = `for word in "$@"; do printf '%s\\0' "$word"; done`;
  return execFileSync('sh', ['-c', `set -- ${line}\n${script}`])
    .toString()
    .split('\0')
    .slice(0, -1);
}

/** A page of transactions whose one row could be the debit of the payment. */
function toPage(fields: object): object {
  const row = { id: 'txn_1', type: 'payment', status: 'completed', amount: -100, currency: 'USD' };
  const transactions = [{ ...row, created_at: '2026-01-31T12:00:01Z', balance_after: 0, ...fields }];
  return { transactions, pagination: { page: 1, per_page: 100, total: 1, has_more: false } };
}

describe('payment reconcile', () => {
  it('finds the payment by what was asked for', async () => {
    await using world = await openWorld();
    const sentAt = new Date().toISOString();
    await loseAnswer(world);
    const argv = [...wanted, '--since', sentAt, '--purpose', 'INV-42', ...beneficiary];
    const { code, document } = await runCli([...argv, '--json'], { env: world.env });
    expect(code).toBe(0);
    expect(document).toMatchObject({ result: 'found', payment: { purpose: 'INV-42', send_amount: 100 } });
    const human = await runCli(argv, { env: world.env });
    expect(human.code).toBe(0);
    expect(human.lines.at(-1)).toBe(
      'Found by its purpose and beneficiary: THE PAYMENT EXISTS. Do not create it again.',
    );
    expect(human.lines).toContain('purpose:             INV-42');
  });

  it.each(['file', 'stdin'])('finds the payment by the error in a %s', async (where) => {
    await using world = await openWorld();
    const { stdout } = await loseAnswer(world);
    const argv = ['payment', 'reconcile', '--error', where === 'file' ? file : '-', '--json'];
    const listed = await runCli(argv, { env: world.env, stdin: stdout });
    expect(listed.code).toBe(3);
    expect(listed.document).toMatchObject({ result: 'ambiguous', evidence: 'purpose' });
    const { code, document } = await runCli([...argv, ...beneficiary], { env: world.env, stdin: stdout });
    expect(code).toBe(0);
    expect(document).toMatchObject({
      result: 'found',
      evidence: 'purpose+beneficiary',
      payment: { purpose: 'INV-42' },
    });
  });

  it('finds it by the line that pay advises, pasted into a shell', async () => {
    await using world = await openWorld();
    const argv = [...order, '--account', 'SIM-DROP', '--purpose', `-O'Neil "7"`];
    const { stderr } = await runCli(argv, { env: world.env });
    const listed = await runCli(readLine(stderr), { env: world.env });
    expect(listed.code).toBe(3);
    expect(listed.stdout).toContain('Compare it; --name and --account do so.');
    expect((await runCli([...readLine(stderr), ...beneficiary], { env: world.env })).code).toBe(0);
  });

  it.each(['-rf', '--json', 'a\nb', "-%s\\n'\t!x", '\u202e\u00fc', '$(exit 1) `x`', ' x ', '"'])(
    'is advised by pay in a line that a shell reads with the purpose %j',
    async (purpose) => {
      await using service = await openService((_, response) => void response.destroy());
      const { stderr } = await runCli([...order, `--purpose=${purpose}`], { env: service.env });
      const words = [...wanted, '--since', expect.stringMatching(/^20.*Z$/), `--purpose=${purpose}`];
      expect(readLine(stderr)).toEqual(words);
    },
  );

  it.each(['\ufeff', 'error: what stderr said\n'])(
    'finds it by a document that follows %j',
    async (before) => {
      await using world = await openWorld();
      const { stdout } = await loseAnswer(world);
      const argv = ['payment', 'reconcile', '--error', '-', ...beneficiary];
      expect((await runCli(argv, { env: world.env, stdin: before + stdout })).code).toBe(0);
    },
  );

  it('finds it by a document in UTF-16, as a shell of Windows writes it', async () => {
    await using world = await openWorld();
    const { stdout } = await loseAnswer(world);
    const argv = ['payment', 'reconcile', '--error', '-', ...beneficiary];
    const stdin = Buffer.from(`\ufeff${stdout}`, 'utf16le');
    expect((await runCli(argv, { env: world.env, stdin })).code).toBe(0);
  });

  it('lists one without a purpose by the line that pay advises', async () => {
    await using world = await openWorld();
    const { stderr } = await runCli([...order, '--account', 'SIM-DROP'], { env: world.env });
    const { code, document } = await runCli([...readLine(stderr), '--json'], { env: world.env });
    expect(code).toBe(3);
    expect(document).toMatchObject({
      result: 'ambiguous',
      evidence: 'amount',
      payments: [{ purpose: null }],
    });
  });

  it('leaves out the payments that --exclude names', async () => {
    await using world = await openWorld();
    await loseAnswer(world);
    const argv = ['payment', 'reconcile', '--error', file, ...beneficiary, '--json'];
    const { document: found } = await runCli(argv, { env: world.env });
    const { id } = (found as unknown as { payment: { id: string } }).payment;
    const { code, document } = await runCli([...argv, '--exclude', 'pay_test_other', '--exclude', id], {
      env: world.env,
    });
    expect({ code, document }).toEqual({ code: 3, document: { result: 'not_found_yet' } });
  });

  it('shows every payment that looks alike, and exits 3', async () => {
    await using world = await openWorld();
    await loseAnswer(world);
    await loseAnswer(world);
    const argv = ['payment', 'reconcile', '--error', file];
    const { code, document } = await runCli([...argv, '--json'], { env: world.env });
    expect(code).toBe(3);
    expect(document).toMatchObject({
      result: 'ambiguous',
      payments: [{ send_amount: 100 }, { send_amount: 100 }],
    });
    const human = await runCli(argv, { env: world.env });
    expect(human.lines.filter((line) => line.startsWith('id:'))).toHaveLength(2);
    expect(human.lines.at(-1)).toContain('Do not create it again');
  });

  it('exits 3 where there is no record, and gives no leave to pay again', async () => {
    await using world = await openWorld();
    const argv = [...wanted, '--since', since];
    const { code, stdout, document } = await runCli([...argv, '--json'], { env: world.env });
    expect(code).toBe(3);
    expect(stdout).toBe('{"result":"not_found_yet"}\n');
    expect(document).toEqual({ result: 'not_found_yet' });
    const human = await runCli(argv, { env: world.env });
    expect(human.code).toBe(3);
    expect(human.stdout).toContain('this proves nothing');
    expect(human.stdout).toContain('Do not create it again');
  });

  it('exits 3 where the records do not name their payments', async () => {
    await using service = await openService((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ success: true, mode: 'test', data: toPage({}) }));
    });
    const { code, stdout } = await runCli([...wanted, '--since', since], { env: service.env });
    expect(code).toBe(3);
    expect(stdout).toContain('Cannot tell');
    expect(stdout).toContain('Do not create it again');
  });

  it('lists a payment that is older than the time it is given', async () => {
    await using world = await openWorld();
    await loseAnswer(world);
    const late = new Date(Date.now() + 600_000).toISOString();
    const clock = { ...createClock(), now: () => Date.now() + 600_000 };
    const argv = [...wanted, '--since', late, '--purpose', 'INV-42', ...beneficiary, '--clock-skew', '1m'];
    const { code, stdout } = await runCli(argv, { env: world.env, clock });
    expect(code).toBe(3);
    expect(stdout).toContain('an older one is equal in purpose, beneficiary and amount');
  });
});

describe('payment reconcile --wait', () => {
  it('asks again with growing pauses until there is a record', async () => {
    await using world = await openWorld();
    const paid: Promise<Ran>[] = [];
    const clock = createClock((count) => {
      if (count === 7) paid.push(runCli([...order, '--purpose', 'INV-42'], { env: world.env }));
    });
    const sleep = clock.sleep;
    const patient = {
      ...clock,
      sleep: async (milliseconds: number, signal: AbortSignal) => {
        await sleep(milliseconds, signal);
        await Promise.all(paid);
      },
    };
    const argv = [
      ...wanted,
      '--since',
      since,
      '--purpose',
      'INV-42',
      '--name',
      'Acme',
      '--wait',
      '10m',
      '--json',
    ];
    const { code, documents, stderr } = await runCli(argv, { env: world.env, clock: patient });
    expect(code).toBe(0);
    expect(documents).toHaveLength(1);
    expect(clock.slept).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
    expect(stderr).toContain('No record of it so far; looking again in 4 s.\n');
  });

  it('looks once more when the time is up, and then exits 3', async () => {
    await using world = await openWorld();
    const clock = createClock();
    const argv = [...wanted, '--since', since, '--wait', '5s', '--json'];
    const { code, document } = await runCli(argv, { env: world.env, clock });
    expect({ code, document }).toEqual({ code: 3, document: { result: 'not_found_yet' } });
    expect(clock.slept).toEqual([1_000, 2_000, 2_000]);
  });

  it('does not wait for what waiting cannot settle', async () => {
    await using world = await openWorld();
    await loseAnswer(world);
    await loseAnswer(world);
    const clock = { ...createClock(), now: () => Date.now() };
    const argv = ['payment', 'reconcile', '--error', file, '--wait', '5m'];
    const { code, stdout } = await runCli(argv, { env: world.env, clock });
    expect(code).toBe(3);
    expect(stdout).toContain('Ambiguous');
    expect(clock.slept).toEqual([]);
  });

  it('bears a service that does not answer until the time is up', async () => {
    const env = await closedEnvironment();
    const clock = createClock();
    const { code, document } = await runCli([...wanted, '--since', since, '--wait', '3s', '--json'], {
      env,
      clock,
    });
    expect(code).toBe(3);
    expect(clock.slept).toEqual([1_000, 2_000]);
    expect(document.error).toMatchObject({ name: 'ReconciliationFailedError', outcome: 'unknown' });
  });

  it('ends at once on Ctrl+C', async () => {
    await using world = await openWorld();
    const controller = new AbortController();
    const clock = createClock(() => controller.abort('SIGINT'));
    const argv = [...wanted, '--since', since, '--wait', '10m', '--json'];
    const { signal } = controller;
    const { code, document } = await runCli(argv, { env: world.env, clock, signal });
    expect({ code, document }).toEqual({ code: 3, document: { result: 'not_found_yet' } });
    expect(clock.slept).toEqual([1_000]);
  });
});

describe('payment reconcile that cannot look', () => {
  it.each([401, 403, 404, 500])('exits 3 for a %i, which says nothing of the payment', async (status) => {
    await using service = await openService((_, response) => {
      response.writeHead(status, { 'content-type': 'application/json', 'retry-after': '0' });
      response.end('{"success":false,"error":{"type":"some_error","message":"No."}}');
    });
    const { code, stdout, stderr } = await runCli([...wanted, '--since', since], { env: service.env });
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
    expect(stderr).toMatch(new RegExp(`^cause: No\\..*\\(some_error, HTTP ${status}\\)$`, 'm'));
    expect(stderr).toContain('THE PAYMENT MAY EXIST. Do not create it again');
  });

  it('exits 3 when a record names its payment in another form', async () => {
    await using service = await openService((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ success: true, mode: 'test', data: toPage({ payment_id: '42' }) }));
    });
    const { code, document } = await runCli([...wanted, '--since', since, '--json'], { env: service.env });
    expect({ code, document }).toEqual({ code: 3, document: { result: 'cannot_tell' } });
  });

  it('exits 3 when nobody reads that it was not found, in silence', async () => {
    await using world = await openWorld();
    const { code, stderr } = await runCli([...wanted, '--since', since], {
      env: world.env,
      onStdout: failedWrite('EPIPE'),
    });
    expect({ code, stderr }).toEqual({ code: 3, stderr: '' });
  });

  it('exits 3 when the records are not read to their end in time', async () => {
    await using service = await openService(() => {});
    const argv = [...wanted, '--since', since, '--timeout', '50ms'];
    const { code, stderr } = await runCli(argv, { env: service.env });
    expect(code).toBe(3);
    expect(stderr).toContain('cause: The records were not read to their end in time.');
  });

  it('exits 3 on Ctrl+C while it looks', async () => {
    const controller = new AbortController();
    await using service = await openService(() => controller.abort('SIGINT'));
    const { signal } = controller;
    const { code, stderr } = await runCli([...wanted, '--since', since], { env: service.env, signal });
    expect(code).toBe(3);
    expect(stderr).toContain('THE PAYMENT MAY EXIST');
  });
});

const lost = {
  name: 'PaymentOutcomeUnknownError',
  sentAt: since,
  amount: '100.00',
  from_currency: 'USD',
  to_currency: 'EUR',
  purpose: null,
};
const toError = (fields: object): string => JSON.stringify({ error: { ...lost, ...fields } });

describe('payment reconcile that is asked wrongly', () => {
  const env = { SERVICE_API_KEY: testKey };
  const fetch = (): never => {
    throw new Error('must not be called');
  };

  it.each([
    ['', 'is empty: pay was ended before it could say'],
    [' \n', 'which may exist'],
    ['{', 'holds no JSON object'],
    ['[]', 'holds no JSON object'],
    ['null', 'holds no JSON object'],
    ['{}', 'holds no error'],
    ['{"error":"x"}', 'holds no error'],
    ['{"id":"pay_test_1","status":"pending"}', 'holds no error but the payment pay_test_1'],
    ['{"error":{"name":"InsufficientFundsError","outcome":"rejected"}}', 'holds a "InsufficientFundsError"'],
    ['{"error":{"name":"ConnectionError","outcome":"not_sent"}}', 'outcome: not_sent'],
    ['{"error":{}}', 'holds a nameless error'],
    [
      '{"id":"pay_test_1"}\n{"error":{"name":"PaymentExistsError","id":"pay_test_1"}}\n',
      'says that the payment exists; look at it with: service-cli payment get pay_test_1',
    ],
    [toError({ sentAt: undefined }), 'error.sentAt must be a time'],
    [toError({ sentAt: 'yesterday' }), 'error.sentAt must be a time'],
    [toError({ sentAt: 0 }), 'error.sentAt must be a time'],
    [toError({ amount: undefined }), 'error.amount must be an amount'],
    [toError({ amount: 100 }), 'error.amount must be an amount'],
    [toError({ amount: '1e3' }), 'amount must be a plain decimal'],
    [toError({ from_currency: '' }), 'error.from_currency must be a currency'],
    [toError({ to_currency: 'EURO' }), 'to_currency must be a 3-letter'],
    [toError({ purpose: undefined }), 'error.purpose must be text or null'],
    [toError({ salvagedId: 7 }), 'error.salvagedId must be text'],
    [toError({ salvagedId: '../balance' }), "A payment id has the form 'pay_test_"],
  ])('exits 2 for the error %s', async (stdin, why) => {
    const { code, stdout, stderr } = await runCli(['payment', 'reconcile', '--error', '-'], {
      env,
      fetch,
      stdin,
    });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(why);
  });

  it.each([
    [[], 'Name what was asked for'],
    [['USD', 'EUR'], 'Name what was asked for'],
    [['USD', 'EUR', '1'], 'Name what was asked for'],
    [['USD', 'EUR', '1', '--since', 'yesterday'], 'Write a whole time with its offset'],
    [['USD', 'EUR', '1', '--since', '2026-01-31'], 'Write a whole time with its offset'],
    [['USD', 'EUR', '1', '--since', '2026-01-31T12:00:00'], 'Write a whole time with its offset'],
    [['USD', 'EUR', '1', '--since', '2026-02-30T12:00:00Z'], 'Write a whole time with its offset'],
    [['USD', 'EUR', '1', '--since', '2026-01-31T25:00:00Z'], 'Write a whole time with its offset'],
    [['USD', 'EUR', '1', '--since', '2999-01-31T12:00:00+0100'], '--since lies in the future'],
    [['USD', 'EUR', '0', '--since', since], 'amount must be more than 0'],
    [['US', 'EUR', '1', '--since', since], 'from_currency must be a 3-letter'],
    [['USD', 'EUR', '1', '--error', '-'], '--error has the rest'],
    [['--error', '-', '--since', since], '--error has the rest'],
    [['--error', '-', '--purpose', 'x'], '--error has the rest'],
    [['USD', 'EUR', '1', '--since', since, '--account', 'x'], '--account needs --name'],
    [['--error', '/nowhere.json'], 'there is no such file'],
    [['--error', '-', '--key-file', '-'], 'Only one thing can come from stdin'],
    [['USD', 'EUR', '1', '--since', since, '--wait', '0s'], 'Write a span above 0'],
  ])('exits 2 for %j', async (argv, why) => {
    const stdin = toError({});
    const { code, stdout, stderr } = await runCli(['payment', 'reconcile', ...argv], { env, fetch, stdin });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(why);
  });
});

describe('a word of a shell', () => {
  it('is what it was, but for line breaks at its end', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const word = text.replaceAll('\0', '');
        const seen = execFileSync('sh', ['-c', `printf %s ${quote(word)}x`]).toString();
        expect(seen).toBe(`${/[\p{Cc}]/u.test(word) ? word.replace(/\n+$/, '') : word}x`);
      }),
      { numRuns: runs(30) },
    );
  });
});
