import { execFileSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { listNames } from './pay-file.support.ts';
import { toCsv } from './payment-csv.ts';
import {
  it,
  makeFolder,
  openService,
  type Ran,
  runCli,
  type RunOptions,
  startMockServer,
} from './support.ts';

/** Pastes the printed commands into `sh`, where `service-cli` prints its words, and returns these. */
function paste({ stdout, stderr }: Pick<Ran, 'stdout' | 'stderr'>): string[][] {
  const commands = [...`${stdout}\n${stderr}`.matchAll(/^ {2}(service-cli .*)$/gm)].map(
    ([, line = '']) => line,
  );
  const folder = makeFolder();
  const program = join(folder, 'service-cli');
  writeFileSync(program, `#!/bin/sh\nprintf '%s\\0' "$@"\n`);
  chmodSync(program, 0o755);
  return commands.map((line) =>
    execFileSync('sh', ['-c', line], { env: { PATH: `${folder}:${process.env.PATH}` } })
      .toString()
      .split('\0')
      .slice(0, -1),
  );
}

/** Runs the pasted commands as they are. */
async function runPasted(ran: Ran, options: RunOptions): Promise<Ran[]> {
  const results: Ran[] = [];
  for (const argv of paste(ran)) results.push(await runCli(argv, options));
  return results;
}

const awkward = [
  '-rf',
  '--json',
  `O'Neil "7" & Söhne`,
  '$(exit 1) `x`; ls',
  "it's !important",
  'a\\nb %s',
  '*',
  '~',
  'مؤسسة',
] as const;

describe('the command that pay prints after an unknown outcome', () => {
  it.for(awkward)(
    'finds the payment when it is pasted, for the name and purpose %j',
    async (text, { mockServer }) => {
      const argv = [
        'pay',
        'USD',
        'EUR',
        '100.00',
        `--name=${text}`,
        '--account',
        'SIM-DROP',
        `--purpose=${text}`,
      ];
      const lost = await mockServer.run(argv);
      expect(lost.code).toBe(3);
      const results = await runPasted(lost, { env: mockServer.env });
      expect(
        results.map(({ code, stdout }) => [code, stdout.includes('Found by its purpose and beneficiary')]),
      ).toEqual([[0, true]]);
    },
  );

  it('lists payments of the amount when it is pasted, without a purpose', async ({ mockServer }) => {
    const argv = ['pay', 'USD', 'EUR', '100.00', '--name', 'Acme', '--account', 'SIM-DROP'];
    const lost = await mockServer.run(argv);
    const [listed] = await runPasted(lost, { env: mockServer.env });
    expect(listed).toMatchObject({ code: 3, stdout: expect.stringContaining('only the amount') as string });
  });

  it('has the options of every command that were given, but no key', async ({ mockServer }) => {
    const { SERVICE_BASE_URL = '' } = mockServer.env;
    const keyFile = join(makeFolder(), "it's a key");
    writeFileSync(keyFile, mockServer.key);
    const argv = ['pay', 'USD', 'EUR', '1', '--name', 'Acme', '--account', 'SIM-DROP', '--purpose', 'INV-1'];
    const where = ['--base-url', SERVICE_BASE_URL];
    const byFile = await runCli([...argv, ...where, '--key-file', keyFile], { env: {} });
    expect((await runPasted(byFile, { env: {} })).map(({ code }) => code)).toEqual([0]);
  });

  it('retrieves the payment if its id is known', async () => {
    const id = 'pay_test_abc123';
    await using service = await openService(({ method }, response) => {
      const data = { id, status: 'pending', from_currency: 'USD', to_currency: 'EUR' };
      const text = JSON.stringify({ success: true, mode: 'test', data });
      const isCreate = method === 'POST';
      response.writeHead(isCreate ? 201 : 200, {
        'content-type': 'application/json',
        'content-length': text.length + (isCreate ? 1 : 0),
      });
      response.write(text);
      response.socket?.end();
    });
    const lost = await runCli(['pay', 'USD', 'EUR', '1', '--name', 'Acme'], { env: service.env });
    expect(lost.code).toBe(3);
    expect(paste(lost)).toEqual([['payment', 'get', id]]);
  });
});

describe('the command that payment reconcile prints for records that do not name a payment', () => {
  it.each([['found'], []])('lists the transactions of the same service, beside %j', async (...purposes) => {
    await using mockServer = await startMockServer();
    const { SERVICE_BASE_URL: baseUrl = '', ...env } = mockServer.env;
    const pay = ['pay', 'USD', 'EUR', '100.00', '--name=Acme', '--account=DE89', '--base-url', baseUrl];
    const since = new Date(Date.now() - 120_000).toISOString();
    for (const purpose of purposes) await runCli([...pay, `--purpose=${purpose}`], { env });
    const fetch = async (request: Request): Promise<Response> => {
      const response = await globalThis.fetch(request);
      if (!request.url.includes('/transactions')) return response;
      const page = (await response.json()) as { data: { transactions: object[] } };
      const row = { type: 'payment', status: 'completed', currency: 'USD', amount: -100, created_at: since };
      page.data.transactions.unshift({ id: 'txn_1', ...row });
      return Response.json(page);
    };
    const argv = ['payment', 'reconcile', 'USD', 'EUR', '100.00', '--since', since, '--base-url', baseUrl];
    const beneficiary = ['--name=Acme', '--account=DE89', '--purpose=found', '--exclude=none'];
    const found = await runCli([...argv, ...beneficiary], { env, fetch });
    expect(found.code).toBe(3);
    expect(paste(found)).toEqual([['transactions', '--all', `--base-url=${baseUrl}`]]);
  });
});

describe('the command that pay-file prints for unknown payments', () => {
  it.each(['payments.csv', "it's $HOME; rm -rf x.csv"])(
    'prints them when it is pasted, for the file %j',
    async (name) => {
      await using mockServer = await startMockServer();
      const { mock } = mockServer;
      mock.sandbox.faults.inject({ kind: 'reset_before_commit', operation: 'createPayment' });
      const path = join(makeFolder(), name);
      writeFileSync(path, toCsv(2));
      const lost = await mockServer.run(['pay-file', path, '--yes', '--concurrency', '1']);
      expect(lost.code).toBe(3);
      const [status, ...others] = await runPasted(lost, { env: {} });
      expect(others).toEqual([]);
      expect(status).toMatchObject({ code: 3, stdout: expect.stringMatching(/^INV-1 +unknown/m) as string });
      expect(await listNames(mockServer)).toEqual(['Supplier 2']);
    },
  );

  it('works for a file from stdin', async ({ mockServer }) => {
    const { mock } = mockServer;
    mock.sandbox.faults.inject({ kind: 'reset_before_commit', operation: 'createPayment' });
    const store = join(makeFolder(), 'my store.db');
    const lost = await mockServer.run(['pay-file', '-', '--yes', '--store', store], { stdin: toCsv(1) });
    expect(lost.code).toBe(3);
    expect((await runPasted(lost, { env: {} })).map(({ code }) => code)).toEqual([3]);
  });
});

describe('other printed commands', () => {
  it('retrieve a payment whose later step failed', async () => {
    await using mockServer = await startMockServer({ clock: 'manual' });
    const argv = ['pay', 'USD', 'EUR', '1', '--name', 'Acme', '--wait', '--wait-timeout', '20ms'];
    const late = await mockServer.run(argv);
    const [got] = await runPasted(late, { env: mockServer.env });
    expect(got).toMatchObject({ code: 0, stdout: expect.stringContaining('Acme') as string });
  });

  it('name the command of dev as it was given', async () => {
    const ran = await runCli(['dev', 'npm', 'run', "it's a test"]);
    const [, line = ''] = /`(service-cli dev -- .*)`/.exec(ran.stderr) ?? [];
    expect(paste({ stdout: `  ${line}`, stderr: '' })).toEqual([['dev', '--', 'npm', 'run', "it's a test"]]);
  });
});
