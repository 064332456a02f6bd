import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ProfileChoice } from '@service/mock';
import { describe, expect, it } from 'vitest';
import { createClock, createManualMock, readReport } from './probe.support.ts';
import { findFreePort, keepSecret, makeFolder, type Ran, runCli, startMockServer } from './support.ts';

/** Runs probe without payments, and expects the profile of a text. */
async function probeExpecting(expected: string, ...options: string[]): Promise<Ran> {
  const file = join(makeFolder(), 'profile.json');
  await writeFile(file, expected);
  return await runCli(['probe', '--no-payments', '--expect', file, ...options], createManualMock());
}

describe('probe', () => {
  it('prints in at most 40 lines what differs and what to do, and the table with --verbose', async () => {
    const odd: ProfileChoice = { successStatus: { createQuote: 201 }, listQuery: { filter: 'ignore' } };
    const { lines } = await runCli(['probe', '--no-payments'], createManualMock(odd));
    expect(lines.length).toBeLessThanOrEqual(40);
    expect(lines[0]).toMatch(/^32 settings: \d+ found, \d+ partly, \d+ unknown$/);
    expect(lines.slice(1, 4)).toEqual([
      'Differs from the document:',
      '  successStatus: createQuote was 200, is 201. Accept every 2xx, as the SDK does.',
      '  listQuery: filter was reject, is ignore. Check the size of a page, filters and the order yourself.',
    ]);
    const verbose = await runCli(['probe', '--no-payments', '--verbose'], createManualMock(odd));
    expect(verbose.lines.slice(-lines.length)).toEqual(lines);
    for (const name of ['bothKeys', 'debitAt', 'deliveryFaults', 'rows', 'texts'])
      expect(verbose.stdout).toContain(name);
  });

  it('reports no difference of a mock with the default profile', async () => {
    const { lines } = await runCli(['probe'], createManualMock());
    expect(lines).not.toContain('Differs from the document:');
  });

  it('writes each expected setting as a case of JUnit', async () => {
    const junit = join(makeFolder(), 'junit.xml');
    const expected = '{"numbers": "string", "rounding": "half_up"}';
    const { code, lines } = await probeExpecting(expected, '--junit', junit);
    expect([code, lines]).toEqual([1, ['DIFFERS  numbers: the value was string, is number']]);
    const text = await readFile(junit, 'utf8');
    expect(text).toContain('tests="2" failures="1" errors="0"');
    expect(text).toContain(
      'name="numbers" time="0.000"><failure message="the value was string, is number"/>',
    );
  });

  it('saves a profile that a mock accepts and that --expect confirms', async () => {
    const folder = makeFolder();
    const file = join(folder, 'profile.json');
    const odd: ProfileChoice = { fees: { percent: '0.5', mode: 'onTop' }, pagination: 'laravel' };
    await runCli(['probe', '--no-payments', '--save', file], createManualMock(odd));
    const saved = JSON.parse(await readFile(file, 'utf8')) as ProfileChoice;
    expect(saved).toMatchObject({ fees: 'percent 0.5, mode onTop', pagination: 'laravel' });
    const again = await runCli(['probe', '--no-payments', '--expect', file], createManualMock(saved));
    expect(again.lines.at(-1)).toBe('As expected.');
    expect(again.code).toBe(0);
  });

  it('exits 1 and lists the differences if the service differs from the expected profile', async () => {
    const expected = '{"successStatus": {"createQuote": 201}, "numbers": "number", "ack": 200}';
    const ran = await probeExpecting(expected);
    expect(ran.code).toBe(1);
    expect(ran.lines).toEqual([
      'DIFFERS  successStatus: createQuote was 201, is 200',
      'UNKNOWN  ack: expected, but not measured',
    ]);
    expect(readReport(await probeExpecting(expected, '--json')).differences).toEqual([
      {
        setting: 'successStatus',
        expected: { createQuote: 201 },
        found: { createQuote: 200 },
        details: ['createQuote was 201, is 200'],
      },
    ]);
  });

  it('continues after a missing response, does not overwrite a profile, and exits 3', async () => {
    const file = join(makeFolder(), 'profile.json');
    await writeFile(file, '{"successStatus": {"createQuote": 200}}');
    const mockServer = createManualMock();
    const ran = await runCli(['probe', '--no-payments', '--json', '--save', file], {
      ...mockServer,
      fetch: (request) =>
        request.url.endsWith('/balance/')
          ? Promise.reject(new TypeError('fetch failed'))
          : mockServer.fetch(request),
    });
    expect(ran.code).toBe(3);
    expect(ran.stderr).toContain('a response was missing. Nothing was written to');
    expect(await readFile(file, 'utf8')).toBe('{"successStatus": {"createQuote": 200}}');
    expect(readReport(ran).profile).toMatchObject({
      successStatus: 'createQuote 200',
      rounding: 'half_up',
    });
    expect(readReport(ran).findings).toContainEqual(
      expect.objectContaining({
        setting: 'paths',
        state: 'unknown',
        evidence: expect.stringContaining('nothing shows it: send GET /balance/'),
      }),
    );
  });

  it('receives the webhooks of any service with --listen', async () => {
    await using mockServer = await startMockServer({ clock: 'manual' });
    const port = await findFreePort();
    const url = `http://127.0.0.1:${port}/`;
    const { secret } = mockServer.mock.sandbox.webhooks.setEndpoint({ url });
    const argv = ['probe', '--listen', String(port), '--json'];
    const clock = createClock(mockServer.mock);
    const known = { ...mockServer.env, SERVICE_WEBHOOK_SECRET: keepSecret(secret) };
    const right = await runCli(argv, { env: known, clock });
    expect(readReport(right).profile).toMatchObject({
      events: ['pending', 'processing', 'completed', 'failed'],
    });
  });

  it('creates no payment with --no-payments', async () => {
    const mockServer = createManualMock();
    const posts: string[] = [];
    const ran = await runCli(['probe', '--no-payments', '--json'], {
      ...mockServer,
      fetch: (request) => {
        if (request.method === 'POST') posts.push(new URL(request.url).pathname);
        return mockServer.fetch(request);
      },
    });
    expect(new Set(posts)).toEqual(new Set(['/api/v1/quotes']));
    expect(readReport(ran).findings).toContainEqual(
      expect.objectContaining({
        setting: 'refund',
        state: 'unknown',
        evidence: expect.stringContaining('nothing shows it: send payments that fail'),
      }),
    );
  });

  it('keeps its findings if it is interrupted, and exits 3', async () => {
    const mockServer = createManualMock();
    const controller = new AbortController();
    const ran = await runCli(['probe', '--json'], {
      ...mockServer,
      signal: controller.signal,
      fetch: (request) => {
        // The first payment of the run is read.
        if (/pay_test_(?!0{24}|1{24})/.test(request.url)) controller.abort();
        return mockServer.fetch(request);
      },
    });
    const { profile, findings } = readReport(ran);
    expect(ran.code).toBe(3);
    expect(profile).toMatchObject({ numbers: 'number', rounding: 'half_up' });
    expect(profile).not.toHaveProperty('debitAt');
    expect(findings.find(({ setting }) => setting === 'debitAt')?.evidence).toBe('interrupted');
  });

  it('exits 3 if an expected setting cannot be measured', async () => {
    const ran = await probeExpecting('{"successStatus": {"createQuote": 200}, "refund": "full"}');
    expect(ran.code).toBe(3);
    expect(ran.lines.at(-1)).toBe('UNKNOWN  refund: expected, but not measured');
  });
});
