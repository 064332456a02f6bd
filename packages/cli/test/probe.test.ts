import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createMock } from '@service/mock';
import { describe, expect, it } from 'vitest';
import { createClock, createManualMock, readReport } from './probe.support.ts';
import {
  closedEnvironment,
  expectRefusals,
  keepSecret,
  makeFolder,
  runCli,
  startMockServer,
  testKey,
} from './support.ts';

describe('probe', () => {
  it('prints one JSON document with the profile and the evidence with --json', async () => {
    const ran = await runCli(
      ['probe', '--json'],
      createManualMock({ successStatus: { createPayment: 202 } }),
    );
    const { base_url, profile, findings } = readReport(ran);
    expect(base_url).toBe('http://localhost:4010/api/v1');
    expect(profile).toMatchObject({
      successStatus: expect.stringContaining('createPayment 202'),
      rounding: 'half_up',
      debitAt: 'create',
    });
    expect(findings).toContainEqual({
      setting: 'rounding',
      state: 'found',
      value: 'half_up',
      evidence: expect.stringMatching(/^\d+ quotes, such as/),
    });
    expect(profile).not.toHaveProperty('events');
  });

  it('receives the webhooks of a mock with --sandbox, and removes its endpoint at the end', async () => {
    await using mockServer = await startMockServer({
      clock: 'manual',
      profile: { events: ['completed', 'failed'] },
    });
    const ran = await mockServer.run(['probe', '--sandbox', '--json'], {
      clock: createClock(mockServer.mock),
    });
    expect(ran.code).toBe(0);
    expect(readReport(ran).profile).toMatchObject({
      events: ['completed', 'failed'],
    });
    expect(mockServer.mock.sandbox.webhooks.endpoint()).toBeNull();
  });

  it('exits 2 for an invalid option before any request', async () => {
    await expectRefusals({ command: 'probe', env: { SERVICE_API_KEY: testKey } }, [
      ['--amount 0', 'at most 2 decimals'],
      ['--from DOLLAR', 'three letters'],
      ['--failing ,A', 'A part of the list is empty'],
      ['--secret-file secret', '--secret-file requires --listen'],
      [
        '--save /no/such/folder/profile.json',
        '--save: the folder "/no/such/folder" does not exist or is not writable',
      ],
    ]);
  });

  it('exits 2 for an expected setting or value that no profile has, and for none', async () => {
    const file = join(makeFolder(), 'profile.json');
    for (const [profile, message] of [
      [{ createstatus: 200 }, /--expect: .*createstatus/],
      [{ successStatus: { createQuote: 200 }, toString: 1 }, /--expect: .*toString/],
      [{ numbers: 'strin' }, /--expect: .*numbers/],
      [{ events: ['paid'] }, /--expect: .*events/],
      [{}, 'contains no settings'],
    ] as const) {
      writeFileSync(file, JSON.stringify(profile));
      await expectRefusals({ command: 'probe', env: { SERVICE_API_KEY: testKey } }, [
        [['--expect', file], message],
      ]);
    }
  });

  it('exits 2 for a live key', async () => {
    const mock = createMock({ seed: 42 });
    const env = {
      SERVICE_API_KEY: keepSecret(mock.account.liveKey),
      SERVICE_BASE_URL: 'https://pay.example/api/v1',
    };
    const ran = await runCli(['probe'], { env, fetch: mock.fetch });
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain('accepts only a test key');
  });

  it('reports an invalid key and an unreachable service like every command', async () => {
    const { env = {}, ...mockServer } = createManualMock();
    const key = keepSecret('service_test_wrong0123456789abcdef');
    const refused = await runCli(['probe'], { ...mockServer, env: { ...env, SERVICE_API_KEY: key } });
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    const silent = await runCli(['probe'], { env: await closedEnvironment() });
    expect(silent).toMatchObject({ code: 3, stdout: '' });
  });
});
