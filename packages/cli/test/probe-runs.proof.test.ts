import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ProfileChoice } from '@service/mock';
import { describe, expect, it } from 'vitest';
import { createClock, createManualMock, readReport } from './probe.support.ts';
import { closedEnvironment, keepSecret, makeFolder, runCli, startMockServer } from './support.ts';

/** Returns a free port of this machine. */
async function findFreePort(): Promise<number> {
  const { SERVICE_BASE_URL } = await closedEnvironment();
  return Number(new URL(SERVICE_BASE_URL!).port);
}

describe('probe', () => {
  it('prints at most ten lines about what differs and what the mock plays instead, and the table with --verbose', async () => {
    const argv = ['probe', '--no-payments'];
    const odd: ProfileChoice = { successStatus: { createQuote: 201 } };
    const { lines } = await runCli(argv, createManualMock(odd));
    expect(lines.length).toBeLessThanOrEqual(10);
    expect(lines[0]).toMatch(/^\d+ settings: \d+ found, \d+ partly, \d+ unknown$/);
    expect(lines[1]).toMatch(/^Differs from the document: .*successStatus/);
    expect(lines).toContain('debitAt: not explained, the mock debits the wallet with the create.');
    const verbose = await runCli([...argv, '--verbose'], createManualMock(odd));
    expect(verbose.lines.slice(-lines.length)).toEqual(lines);
    for (const name of ['bothKeys', 'debitAt', 'deliveryFaults', 'texts'])
      expect(verbose.stdout).toContain(name);
    expect(verbose.stdout).not.toContain('…');
  });

  it('saves a profile that a mock accepts and that --expect confirms', async () => {
    const folder = makeFolder();
    const file = join(folder, 'profile.json');
    const odd: ProfileChoice = { fees: { percent: '0.5', mode: 'onTop' }, pagination: 'laravel' };
    await runCli(['probe', '--no-payments', '--save', file], createManualMock(odd));
    const saved = JSON.parse(await readFile(file, 'utf8')) as ProfileChoice;
    expect(saved).toMatchObject({ fees: { percent: '0.5', mode: 'onTop' }, pagination: {} });
    const again = await runCli(['probe', '--no-payments', '--expect', file], createManualMock(saved));
    expect(again.lines.at(-1)).toBe('As expected.');
    expect(again.code).toBe(0);
  });

  it('exits 1 and lists the differences if the service differs from the expected profile', async () => {
    const folder = makeFolder();
    const file = join(folder, 'profile.json');
    await writeFile(file, '{"successStatus": {"createQuote": 201}, "numbers": "number", "ack": 200}');
    const ran = await runCli(['probe', '--expect', file, '--no-payments'], createManualMock());
    expect(ran.code).toBe(1);
    expect(ran.lines.slice(-2)).toEqual([
      'DIFFERS  successStatus: createQuote was 201, is 200',
      'UNKNOWN  ack: expected, but not measured',
    ]);
    const json = await runCli(['probe', '--json', '--expect', file, '--no-payments'], createManualMock());
    expect(readReport(json).differences).toEqual([
      {
        setting: 'successStatus',
        expected: { createQuote: 201 },
        found: { createQuote: 200 },
        details: ['createQuote was 201, is 200'],
      },
    ]);
  });

  it('continues after a missing response, and exits 3', async () => {
    const mockServer = createManualMock();
    const ran = await runCli(['probe', '--no-payments', '--json'], {
      ...mockServer,
      fetch: (request) =>
        request.url.endsWith('/balance/')
          ? Promise.reject(new TypeError('fetch failed'))
          : mockServer.fetch(request),
    });
    expect(ran.code).toBe(3);
    expect(readReport(ran).profile).toMatchObject({
      successStatus: { createQuote: 200 },
      bothKeys: 'reject',
    });
    expect(readReport(ran).findings).toContainEqual(
      expect.objectContaining({
        setting: 'paths',
        state: 'unknown',
        evidence: expect.stringContaining('no traffic shows it: send GET /balance/'),
      }),
    );
  });

  it('receives the webhooks of any service with --listen', async () => {
    await using mockServer = await startMockServer({ clock: 'manual' });
    const port = await findFreePort();
    const url = `http://127.0.0.1:${port}/`;
    const { secret } = mockServer.mock.sandbox.webhooks.setEndpoint({ url });
    const argv = ['probe', '--listen', String(port), '--webhook-timeout', '6m', '--json'];
    const clock = createClock(mockServer.mock);
    const known = { ...mockServer.env, SERVICE_WEBHOOK_SECRET: keepSecret(secret) };
    const right = await runCli(argv, { env: known, clock });
    expect(readReport(right).profile).toMatchObject({
      ack: 200,
      retrySchedule: 'default',
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
        evidence: expect.stringContaining('no payment was read'),
      }),
    );
  });

  it('keeps its findings if it is interrupted, and exits 3', async () => {
    const mockServer = createManualMock();
    const { now } = mockServer.clock;
    const start = now();
    const controller = new AbortController();
    const ran = await runCli(['probe', '--json'], {
      ...mockServer,
      signal: controller.signal,
      fetch: (request) => {
        // Quotes need no time.
        if (request.url.includes('/payments') && now() > start) controller.abort();
        return mockServer.fetch(request);
      },
    });
    const { profile, findings } = readReport(ran);
    expect(ran.code).toBe(3);
    expect(profile).toMatchObject({ numbers: 'number', rounding: 'half_up' });
    expect(profile).not.toHaveProperty('debitAt');
    expect(findings.find(({ setting }) => setting === 'debitAt')?.evidence).toBe('interrupted');
  });

  it('does not overwrite a profile if the run is incomplete', async () => {
    const folder = makeFolder();
    const file = join(folder, 'profile.json');
    await writeFile(file, '{"successStatus": {"createQuote": 200}}');
    const mockServer = createManualMock();
    const ran = await runCli(['probe', '--no-payments', '--save', file], {
      ...mockServer,
      fetch: (request) =>
        request.url.endsWith('/quotes')
          ? Promise.reject(new TypeError('fetch failed'))
          : mockServer.fetch(request),
    });
    expect(ran.code).toBe(3);
    expect(ran.stderr).toContain('a response was missing. Nothing was written to');
    expect(await readFile(file, 'utf8')).toBe('{"successStatus": {"createQuote": 200}}');
  });

  it('exits 3 if an expected setting cannot be measured', async () => {
    const folder = makeFolder();
    const file = join(folder, 'profile.json');
    await writeFile(file, '{"successStatus": {"createQuote": 200}, "refund": "full"}');
    const ran = await runCli(['probe', '--expect', file, '--no-payments'], createManualMock());
    expect(ran.code).toBe(3);
    expect(ran.lines.at(-1)).toBe('UNKNOWN  refund: expected, but not measured');
  });
});
