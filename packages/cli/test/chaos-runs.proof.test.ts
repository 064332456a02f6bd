import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { childEnv } from '../../../test/support/child-env.ts';
import { findFreePorts } from '../src/chaos/runner.ts';
import { end, fixture, fromSource, main, only, runChaos } from './chaos.support.ts';
import { makeFolder } from './support.ts';

describe('chaos with an application that pays once', () => {
  it('counts the effects of events with --handled', async () => {
    const options = [
      '--handled',
      'if [ -e handled-{reference} ]; then echo 1; else echo 0; fi',
      ...only('webhook-again'),
    ];
    const { stdout } = await runChaos({ options });
    expect(stdout).toMatch(/^passed +webhook-again/m);
  });

  it('judges a scenario again after the lease of --lease, at the end', async () => {
    const { stdout } = await runChaos({
      options: ['--lease', '1s', ...only('connection-lost', 'truncated')],
    });
    expect(stdout).toMatch(/^waiting +connection-lost .* for a lease, and is judged at the end$/m);
    expect(stdout).toMatch(/^passed +truncated .*\nperson +connection-lost .* has no payment$/m);
  });

  it('repeats the references of a seed', async () => {
    const { stdout } = await runChaos({ options: ['--seed', '7', ...only('connection-lost')] });
    expect(stdout).toContain('safe, needs a person: chaos-7-0041 has no payment');
  });

  it('tests an application that only receives webhooks', async () => {
    const [port = 0] = await findFreePorts(1);
    const argv = ['--webhooks', '/webhooks', '--app-port', String(port), ...only('forged-none')];
    const env = { ...childEnv };
    const command = [process.execPath, fixture, 'correct'];
    const cwd = mkdtempSync(join(tmpdir(), 'chaos-test-'));
    const run = [fromSource, main, 'chaos', ...argv, '--', ...command];
    const child = spawn(process.execPath, run, { env, cwd });
    onTestFinished(() => {
      child.kill('SIGKILL');
      rmSync(cwd, { recursive: true });
    });
    const { code, stdout } = await end(child);
    expect({ code, stdout }).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^passed +forged-none/),
    });
  });
});

describe('chaos with an application that is wrong', () => {
  it('notices that the application has ended, and starts it again', async () => {
    const options = only('response-lost', 'again-after-success');
    const { code, stdout } = await runChaos({ app: 'crashes', options });
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /^FAILED +response-lost .* the application ended, or accepts no connections any more$/m,
    );
    expect(stdout).toMatch(/^passed +again-after-success/m);
  });

  it('says when only a service that replays keys makes it correct', async () => {
    const { stdout } = await runChaos({ app: 'key', options: only('response-lost') });
    expect(stdout).toContain('; correct only if the service replays keys');
    const folder = makeFolder();
    const profile = join(folder, 'profile.json');
    writeFileSync(profile, '{"idempotency":"replayed"}');
    const options = ['--profile', profile, ...only('response-lost')];
    expect((await runChaos({ app: 'key', options })).code).toBe(0);
  });

  it('prints JSON with --json', async () => {
    const { stdout } = await runChaos({ app: 'twice', options: ['--json', ...only('gateway-error')] });
    expect(JSON.parse(stdout)).toMatchObject({
      ok: false,
      scenarios: [
        { name: 'baseline', verdict: 'passed' },
        {
          name: 'gateway-error',
          verdict: 'failed',
          cause: 'second-trigger',
          detail: expect.stringContaining('left the wallet'),
          replay: expect.stringContaining('--only gateway-error'),
          timeline: expect.arrayContaining([
            { at_ms: expect.any(Number), text: 'trigger 1 starts', count: 1 },
          ]),
        },
      ],
    });
  });
});

describe('chaos with a count of --handled that is not a number', () => {
  it('judges no effect, and exits 2', async () => {
    const { code, stdout } = await runChaos({ options: ['--handled', 'echo many', ...only('baseline')] });
    const message = '--handled must print a number: "echo many" printed "many\\n"';
    expect({ code, stdout }).toMatchObject({ code: 2, stdout: expect.stringContaining(message) });
  });
});
