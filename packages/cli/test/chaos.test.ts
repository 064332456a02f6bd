import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it, onTestFinished } from 'vitest';
import { writePage } from '../src/chaos/page.ts';
import { scenarios } from '../src/chaos/scenarios.ts';
import { ChaosService } from '../src/chaos/service.ts';
import { fixture, fromSource, listFiles, listLeftovers, only, runChaos, start } from './chaos.support.ts';
import { runCli } from './support.ts';

describe('chaos with an application that pays once', () => {
  it('exits 0, prints a line for each scenario, and writes JUnit and a report', async () => {
    const files = ['--junit', 'chaos.xml', '--report', 'chaos.html'];
    const { folder, ended } = await start({ options: [...files, ...only('response-lost', 'webhook-again')] });
    const { code, stdout } = await ended;
    const lines = stdout.replaceAll(/\d+\.\d s/g, '# s').split('\n');
    expect({ code, lines }).toEqual({
      code: 0,
      lines: [
        'passed      baseline                   # s',
        'passed      response-lost              # s',
        'not judged  webhook-again              # s  not judged: needs --handled',
        '',
        '3 scenarios: 2 passed, 0 failed, 0 safe, but a person must decide, 1 not judged',
        '',
      ],
    });
    const junit = readFileSync(join(folder, 'chaos.xml'), 'utf8');
    expect(junit).toContain(
      '<testsuite name="service-cli chaos" tests="3" failures="0" errors="0" skipped="1"',
    );
    expect(junit).toContain('name="webhook-again"');
    expect(junit).toContain('create: no response (reset_after_commit), payment pay_test_');
    const page = readFileSync(join(folder, 'chaos.html'), 'utf8');
    expect(page).toContain('3 scenarios: 2 passed');
    expect(page).toMatch(/<details class="scenario" id="webhook-again">/);
    expect(page).toMatch(/service-cli chaos .*--only response-lost/);
    expect(page.length).toBeLessThan(1_000_000 / 20);
    expect(page).not.toMatch(/<script|service_test_\w{8}/);
    expect(listLeftovers(folder)).toEqual([]);
  });
});

describe('chaos with an application that is wrong', () => {
  it('exits 1, and prints the consequence, the timeline, what to change and the page', async () => {
    const { code, stdout } = await runChaos({ app: 'twice', options: only('response-lost') });
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /^FAILED +response-lost .* paid 3 times: 121.67 USD \+ 121.67 USD \+ 121.67 USD left the wallet for chaos-\d+-0021$/m,
    );
    expect(stdout).toContain('trigger 3 starts');
    expect(stdout).toMatch(/\+\d\.\d\d s {2}create: no response \(reset_after_commit\), payment pay_test_/);
    expect(stdout).toContain('1 FAILED: A repeated trigger pays again: claim the reference');
    expect(stdout).toContain('docs: https://docs.example.com/payments-kit/cli/chaos#what-to-change');
  });
});

describe('chaos compares each payment with the placeholders of the trigger', () => {
  const path = '{reference}/{amount}/{currency}/{beneficiary}';

  it.each([
    ['hundredfold', 'an amount of cents', /paid 10,117\.00 GBP instead of 101\.17 GBP for chaos-7-0001/],
    ['rounded', 'a rounded amount', /paid 101\.00 GBP instead of 101\.17 GBP/],
    ['currency', 'another currency', /paid 101\.17 EUR instead of 101\.17 GBP/],
    ['beneficiary', 'another beneficiary', /paid "Acme" instead of "Chaos-1-Ltd"/],
  ])('%s: %s fails', async (app, _, message) => {
    const options = ['--seed', '7', ...only('baseline')];
    const trigger = (port: number): string => `POST http://localhost:${port}/${path}`;
    const { code, stdout } = await runChaos({ app, options, trigger });
    expect({ code, stdout }).toEqual({ code: 1, stdout: expect.stringMatching(/^FAILED +baseline/) });
    expect(stdout).toMatch(message);
    expect(stdout).toContain('1 FAILED: Send the amount, currency and beneficiary of the trigger');
  });

  it('and passes a right one', async () => {
    const trigger = (port: number): string => `POST http://localhost:${port}/${path}`;
    const { code, stdout } = await runChaos({ options: only('response-lost'), trigger });
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^passed +response-lost/m) });
  });

  it('and judges no field without a placeholder', async () => {
    const trigger = (port: number): string => `POST http://localhost:${port}/{reference}/5.00`;
    const { code } = await runChaos({ options: only('baseline'), trigger });
    expect(code).toBe(0);
  });
});

describe('chaos has a verdict for each scenario', () => {
  it('of an application that dies, whose effects are counted at its port', async () => {
    const { folder, ended } = await start({
      app: 'crashes',
      options: ['--report', 'chaos.html', ...only('response-lost', 'again-after-success')],
      handled: (port) => `curl -fsS localhost:${port}/effects/{reference}`,
    });
    const { code, stdout } = await ended;
    expect(code).toBe(1);
    expect(stdout).toMatch(/^FAILED +response-lost .* the application ended/m);
    expect(readFileSync(join(folder, 'chaos.html'), 'utf8')).toContain('the service did not respond');
    expect(listFiles(folder)).toEqual(['chaos.html']);
    expect(stdout).toMatch(/again-after-success/);
    expect(stdout).toMatch(/^3 scenarios: /m);
  });

  it('whose count is empty, and exits 2', async () => {
    const { code, stdout } = await runChaos({ options: only('again-after-success'), handled: () => 'true' });
    expect(code).toBe(2);
    expect(stdout).toMatch(/^not judged +baseline .* --handled must print a number: "true" printed ""/m);
    expect(stdout).toMatch(/^not judged +again-after-success /m);
  });

  it('after an interrupt, with all files', async () => {
    const files = ['--junit', 'chaos.xml', '--report', 'chaos.html'];
    const { child, folder, ended } = await start({ options: files });
    for await (const line of createInterface({ input: child.stdout! })) if (line.includes('baseline')) break;
    child.kill('SIGINT');
    expect((await ended).code).toBe(2);
    expect(readFileSync(join(folder, 'chaos.xml'), 'utf8')).toContain(
      'name="forged-old-secret" time="0.000"><skipped message="not judged: Interrupted.',
    );
    expect(readFileSync(join(folder, 'chaos.html'), 'utf8')).toContain('service-cli chaos');
  });
});

describe('chaos groups failures by their cause', () => {
  it('and names it once, with the timeline and the replay of one of them', async () => {
    const options = ['--seed', '7', ...only('response-lost', 'twice-at-once', 'killed-after-response')];
    const { stdout } = await runChaos({ app: 'twice', options });
    expect(stdout).toMatch(/^3 FAILED: A repeated trigger pays again/m);
    expect(stdout).toMatch(/^ {2}Also: twice-at-once, killed-after-response$/m);
    expect(stdout).toMatch(/^ {2}Again: service-cli chaos .*--seed 7 --only response-lost -- /m);
    expect(stdout.match(/ FAILED: /g)).toHaveLength(1);
  });

  it('and counts equal lines of a wrong path of webhooks', async () => {
    const options = ['--handled', 'echo 1', ...only('webhook-again')];
    const { stdout } = await runChaos({ webhooks: '/nowhere', options });
    expect(stdout).toMatch(/^2 FAILED: Nothing receives webhooks at this path/m);
    expect(stdout).toMatch(/webhook payment\.pending: 404 \(\d+ times\)$/m);
  });
});

describe('chaos with an application that polls', () => {
  const handled = 'cat handled-{reference} 2>/dev/null | wc -c';

  it('judges its effects without webhooks', async () => {
    const options = ['--handled', handled, ...only('fails-later')];
    const { code, stdout } = await runChaos({ app: 'polls', webhooks: '', options });
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^passed +fails-later/m) });
  });

  it('finds a payment that is booked 40 times', async () => {
    const options = ['--handled', handled, ...only('baseline')];
    const { code, stdout } = await runChaos({ app: 'books-often', webhooks: '', options });
    expect({ code, stdout }).toEqual({
      code: 1,
      stdout: expect.stringMatching(/^FAILED +baseline .* took effect 40 times instead of once$/m),
    });
  });

  it('does not judge effects without --handled', async () => {
    const { stdout } = await runChaos({ app: 'polls', webhooks: '', options: only('fails-later') });
    expect(stdout).toMatch(/^not judged +fails-later .* needs --handled$/m);
  });
});

describe('chaos with an application that repeats a failing read', () => {
  it('waits for three times the quiet time, and not for a minute', async () => {
    let time = 0;
    const sleep = async (milliseconds: number): Promise<void> => {
      time += milliseconds;
      const headers = { Authorization: `Bearer ${service.mock.account.testKey}` };
      await service.mock.fetch(`${service.mock.baseUrl}/payments/pay_test_1`, { headers });
    };
    const service = new ChaosService({
      command: [],
      env: {},
      ports: [],
      hasPorts: false,
      instances: 1,
      clientTimeout: 1_000,
      settle: 1_000,
      settings: {},
      seed: '7',
      clock: { now: () => time, sleep },
      signal: new AbortController().signal,
      onDefect: () => {},
    });
    onTestFinished(() => service.close());
    const status = { kind: 'status', status: 503, times: 'unlimited' } as const;
    service.mock.sandbox.faults.inject({ ...status, operation: 'getPayment' });
    expect(await service.waitUntil(() => false)).toBe(false);
    expect(time).toBeLessThan(5_000);
  });
});

describe('chaos with an application that accepts a trigger and pays later', () => {
  const application = new URL('../../../test/chaos/applications/typescript/', import.meta.url).pathname;
  const path = (port: number): string => `POST http://localhost:${port}/payouts/{reference}/{amount}`;

  it.each([
    ['outbox', 0, 'passed'],
    ['loses-queue', 1, 'FAILED'],
  ])('%s: judges a job that was accepted before a kill', async (name, code, verdict) => {
    const command = [process.execPath, fromSource, join(application, `${name}.ts`)];
    const options = only('killed-with-job', 'stopped-with-job');
    const run = await runChaos({ command, env: { STATE: '.' }, trigger: path, options });
    expect(run).toMatchObject({ code, stdout: expect.stringMatching(/^passed +baseline/) });
    expect(run.stdout).toMatch(new RegExp(`^${verdict} +killed-with-job`, 'm'));
    expect(run.stdout).toMatch(new RegExp(`^${verdict} +stopped-with-job`, 'm'));
  });

  it('waits for a create a multiple of the time that one has needed', async () => {
    const { code, stdout } = await runChaos({ app: 'slower', options: only('webhook-unknown-event') });
    const judged = /^passed +baseline[^]*\npassed +webhook-unknown-event/;
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(judged) });
  });
});

describe('chaos kills one process', () => {
  it('and passes an application that pays once nevertheless', async () => {
    const command = ['sh', '-c', `sleep 60 & exec ${process.execPath} ${fixture} correct`];
    const { code, stdout } = await runChaos({
      command,
      options: ['--kill', 'chaos-app', ...only('killed-process')],
    });
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^passed +killed-process/m) });
  });

  it.each([
    ['nginx', 'no process of the application have that name'],
    ['sleep', '2 processes of the application have that name'],
  ])('and exits 2 before the first trigger with --kill %s', async (name, message) => {
    const command = ['sh', '-c', `sleep 60 & sleep 61 & exec ${process.execPath} ${fixture} correct`];
    const { folder, ended } = await start({ command, options: ['--kill', name] });
    const { code, stderr } = await ended;
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) });
    expect(existsSync(join(folder, 'triggers'))).toBe(false);
  });
});

describe('chaos rejects', () => {
  it.each([
    [
      ['--trigger', 'pay {reference}'],
      'The command to run is missing. Write it after --, such as `service-cli chaos -- npm start`.',
    ],
    [['--', 'true'], 'Pass --trigger, which makes the application pay {reference}, or --webhooks, or both.'],
    [
      ['--trigger', 'pay {amount}', '--', 'true'],
      '--trigger must contain {reference}, which differs in each payment.',
    ],
    [
      ['--trigger', 'pay {reference}', '--only', 'outage', '--', 'true'],
      '--only: there is no scenario "outage". The scenarios: baseline, response-lost, ',
    ],
    ...[
      'POST /pay/{reference}',
      '/pay/{reference}',
      'get http://localhost:3000/pay/{reference}',
      'POST  http://localhost:3000/pay/{reference}',
      'POST localhost:3000/pay/{reference}',
      'http://localhost:3000/pay/{reference}',
      'Post {reference}',
      ' POST http://localhost:3000/pay/{reference}',
      'POST http://localhost:port/pay/{reference}',
    ].map((trigger): [string[], string] => [
      ['--trigger', trigger, '--', 'true'],
      `--trigger ${JSON.stringify(trigger)} is neither a request nor a command. Write a request as a method in capitals, one space and a URL with a host: POST http://localhost:3000/pay/{reference}`,
    ]),
    [['--webhooks', 'hooks', '--', 'true'], 'Write a URL path, such as /webhooks.'],
    [['--settle', '2', '--', 'true'], 'Write a duration above 0 with its unit'],
    [['--instances', '9', '--', 'true'], 'Write a whole number from 1 to 8.'],
  ])('%j', async (argv, message) => {
    const { code, stderr } = await runCli(['chaos', ...argv]);
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
  });
});

describe('the page of chaos', () => {
  it('shows hostile text as text, and needs no script and no network', () => {
    const attack = `</pre><script>document.title='owned'</script><img src=x onerror="alert(1)">`;
    const [scenario] = scenarios as [(typeof scenarios)[0]];
    const result = {
      scenario,
      reference: 'chaos-7-0001',
      verdict: 'failed',
      cause: 'ended',
      sentence: attack,
      duration_ms: 1,
      isWaiting: false,
      timeline: [
        { at: 0, text: attack },
        { at: 0, text: attack, detail: attack },
      ],
      output: attack,
    } as const;
    const argv = ['chaos', '--trigger', attack, '--', 'npm', 'start'];
    const page = writePage({ seed: '7', results: [result], argv, problem: attack, dropped: 0 });
    expect(page).not.toMatch(/<script|<img|https?:\/\/(?!docs\.example\.com)/);
    expect(page).toContain("default-src 'none'; style-src 'unsafe-inline'");
    expect(page.split('&lt;img src=x onerror=&quot;alert(1)&quot;&gt;')).toHaveLength(8);
  });
});

describe('the guide of chaos', () => {
  it('lists each scenario', () => {
    const guide = readFileSync(new URL('../docs/chaos.md', import.meta.url), 'utf8');
    const expected = scenarios.map(({ name, happens }) => `${name.padEnd(23)}  ${happens}`);
    expect(guide).toContain(`\n${expected.join('\n')}\n`);
  });
});
