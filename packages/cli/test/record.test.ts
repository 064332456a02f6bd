import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { beneficiary, runApplication } from '../../probe/test/application.ts';
import {
  expectRefusals,
  failedWrite,
  makeFolder,
  type Ran,
  runCli,
  type RunOptions,
  startMockServer,
} from './support.ts';

type Application = (baseUrl: string) => Promise<unknown>;

/** Runs `record` while an application uses it, and then interrupts it. */
async function recordWith(
  args: readonly string[],
  application: Application,
  options: RunOptions = {},
): Promise<Ran> {
  const stop = new AbortController();
  let stderr = '';
  const finished: Promise<unknown>[] = [];
  const ran = await runCli(['record', '--port', '0', ...args], {
    signal: stop.signal,
    ...options,
    onStderr: (text) => {
      const isReady = /Press Ctrl\+C/.test(stderr);
      stderr += text;
      const [, baseUrl] = /SERVICE_BASE_URL=(\S+)/.exec(stderr) ?? [];
      if (isReady || baseUrl === undefined || !/Press Ctrl\+C/.test(stderr)) return;
      finished.push(application(baseUrl).finally(() => stop.abort('SIGINT')));
    },
  });
  await Promise.all(finished);
  return ran;
}

const readJson = async (path: string): Promise<Record<string, unknown>> =>
  JSON.parse(await readFile(path, 'utf8')) as Record<string, unknown>;

describe('record', () => {
  it('keeps the masked traffic, prints it as JSON lines, and adds its settings to the profile', async () => {
    const folder = makeFolder();
    const [keep, file] = [join(folder, 'traffic.ndjson'), join(folder, 'service.profile.json')];
    await writeFile(
      file,
      JSON.stringify({
        successStatus: { createPayment: 201 },
        fees: { percent: '0.5', mode: 'onTop' },
        refusals: { rate_limit: { status: 429 } },
      }),
    );
    await using service = await startMockServer({
      clock: 'manual',
      profile: {
        successStatus: { createPayment: 202 },
        refusals: { authentication: { status: 403, type: 'forbidden' } },
      },
    });
    const { env, mock, key } = service;
    const args = ['--to', env.SERVICE_BASE_URL!, '--keep', keep, '--profile', file, '--json'];
    const ran = await recordWith(args, (baseUrl) => runApplication({ baseUrl, mock }));
    expect(ran.code).toBe(0);
    const kept = await readFile(keep, 'utf8');
    expect(ran.stdout).toBe(kept);
    expect(ran.lines.length).toBeGreaterThan(50);
    const written = await readFile(file, 'utf8');
    for (const text of [kept, ran.stderr, written])
      for (const secret of [
        key,
        ...Object.values(beneficiary).filter((value) => value !== 'DE'),
        'Vandermolen',
      ])
        expect(text).not.toContain(secret);
    expect(JSON.parse(written)).toMatchObject({
      successStatus: { createPayment: 201, createQuote: 200 },
      fees: { percent: '0.5', mode: 'onTop' },
      refusals: { rate_limit: { status: 429 }, authentication: { status: 403 } },
    });
    expect(ran.stderr).toMatch(/DIFFERS +successStatus .*createPayment was 201, is 202/);
    expect(ran.stderr).toMatch(/^added {2} +refusals /m);
    expect(ran.stderr).toMatch(/\d+ settings added, \d differences?\.\nRecorded \d+ exchanges\.\n$/);
    expect((await readdir(folder)).toSorted()).toEqual(['service.profile.json', 'traffic.ndjson']);
  });

  it('prints one readable line per exchange on a terminal', async () => {
    await using service = await startMockServer();
    const ran = await recordWith(
      ['--to', service.env.SERVICE_BASE_URL!],
      async (baseUrl) => {
        const headers = { authorization: `Bearer ${service.key}` };
        await (await fetch(`${baseUrl}/balance`, { headers })).text();
        await (await fetch(`${baseUrl}/payments/pay_test_none`, { headers })).text();
      },
      { columns: 120, env: { NO_COLOR: '1' } },
    );
    expect(ran.lines[0]).toMatch(/^\d\d:\d\d:\d\d {2}GET {3}\/balance {2}200 {2}\d+ ms$/);
    expect(ran.lines[1]).toMatch(
      /^\d\d:\d\d:\d\d {2}GET {3}\/payments\/pay_test_none {2}404 {2}\d+ ms {2}\S/,
    );
    expect(ran.stderr).toContain('Nothing was written; pass --profile FILE.\nRecorded 2 exchanges.\n');
    expect(ran.code).toBe(0);
  });

  it('refuses a live key with a message that does not contain it', async () => {
    await using service = await startMockServer();
    const { liveKey } = service.mock.account;
    const ran = await recordWith(['--to', service.env.SERVICE_BASE_URL!], async (baseUrl) => {
      const response = await fetch(`${baseUrl}/balance`, { headers: { 'x-api-key': liveKey } });
      expect(response.status).toBe(403);
    });
    expect(ran.stdout).toBe('');
    expect(ran.stderr).toContain(
      'warning: A GET request with a live key was refused. Use a test key (service_test_…).',
    );
    expect(service.mock.sandbox.requests.list()).toEqual([]);
  });

  it('ends without an error, and writes the profile, if the reader of the output has gone', async () => {
    const folder = makeFolder();
    const file = join(folder, 'service.profile.json');
    await using service = await startMockServer();
    const { env, key } = service;
    const ran = await recordWith(
      ['--to', env.SERVICE_BASE_URL!, '--profile', file],
      async (baseUrl) => {
        const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
        const body = JSON.stringify({ from_currency: 'USD', to_currency: 'EUR', amount: 10 });
        await (await fetch(`${baseUrl}/quotes`, { method: 'POST', headers, body })).text();
      },
      { onStdout: failedWrite('EPIPE') },
    );
    expect(ran.code).toBe(0);
    expect(await readJson(file)).toMatchObject({ successStatus: { createQuote: 200 } });
  });

  it('explains invalid options', async () => {
    await expectRefusals({ command: 'record' }, [
      [[], "required option '--to <url>' not specified"],
      ['--to http://sandbox.example.com/api/v1', 'Plain http exposes the API key to the network.'],
      ['--to http://localhost:4030/api/v1', '--to leads back to this command at port 4030'],
      [
        '--to https://a.example --keep /no/such/folder/file',
        '--keep: the folder "/no/such/folder" does not exist',
      ],
    ]);
  });
});
