import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { type RunClock, runClock } from '@service/internal';
import { describe, expect, it, onTestFinished } from 'vitest';
import { childEnv } from '../../../test/support/child-env.ts';
import { findFreePorts } from '../src/chaos/runner.ts';
import { pages, scenarios } from '../src/chaos/scenarios.ts';
import { runCli } from './support.ts';

const main = new URL('../src/main.ts', import.meta.url).pathname;
const fixture = new URL('fixtures/chaos-app.ts', import.meta.url).pathname;
const fromSource = '--conditions=@service/source';

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface Setup {
  /** The behavior of the application: `correct`, or one that a test names. */
  readonly app?: string;
  readonly options?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly command?: readonly string[];
  readonly trigger?: string;
}

/** A run in a folder and with processes of its own. */
interface Running {
  readonly child: ChildProcess;
  readonly port: number;
  /** The working directory, which has the state of the application. */
  readonly folder: string;
  readonly ended: Promise<Ended>;
}

/** Starts `service-cli chaos` in a separate process. */
async function start({ app = 'correct', options = [], env, command, trigger }: Setup = {}): Promise<Running> {
  const folder = mkdtempSync(join(tmpdir(), 'chaos-test-'));
  const [port = 0] = await findFreePorts(1);
  const defaults = {
    trigger: trigger ?? `POST http://localhost:${port}/{reference}/{amount}`,
    'app-port': port,
    webhooks: '/webhooks',
    'client-timeout': '500ms',
    settle: '500ms',
  };
  const given = Object.entries(defaults).map(([name, value]) => `--${name}=${value}`);
  const program = command ?? [process.execPath, fixture, app];
  const argv = [...given, ...options, '--', ...program];
  const child = spawn(process.execPath, [fromSource, main, 'chaos', ...argv], {
    cwd: folder,
    env: { ...childEnv, TMPDIR: folder, ...env },
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true });
  });
  return { child, port, folder, ended: end(child) };
}

async function end(child: ChildProcess): Promise<Ended> {
  const seen = { stdout: '', stderr: '' };
  child.stdout!.on('data', (chunk: Buffer) => (seen.stdout += chunk.toString()));
  child.stderr!.on('data', (chunk: Buffer) => (seen.stderr += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, ...seen };
}

const runChaos = async (setup?: Setup): Promise<Ended> => (await start(setup)).ended;

/** Returns the processes of the application that still run. It notes all of them. */
function listLeftovers(folder: string): number[] {
  const pids = readFileSync(join(folder, 'pids'), 'utf8').trim().split('\n').map(Number);
  return pids.filter((pid) => {
    const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' });
    // The first process of a container may not reap zombies.
    return /^[^Z\s]/.test(stdout);
  });
}

/** A clock that is 60 times as fast as the system clock. */
const fastClock: RunClock = {
  now: () => Date.now() * 60,
  sleep: (milliseconds, signal) => runClock.sleep(milliseconds / 60, signal),
};

const only = (...names: string[]): string[] => ['--only', ...names];

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
    expect(readFileSync(join(folder, 'chaos.html'), 'utf8')).toContain('service-cli chaos: 3 scenarios');
    expect(listLeftovers(folder)).toEqual([]);
  });

  it('counts the effects of events with --handled', async () => {
    const options = ['--handled', 'ls | grep -cx handled-{reference}', ...only('webhook-again')];
    const { stdout } = await runChaos({ options });
    expect(stdout).toMatch(/^passed +webhook-again/m);
  });

  it('repeats the references of a seed', async () => {
    const { stdout } = await runChaos({ options: ['--seed', '7', ...only('connection-lost')] });
    expect(stdout).toContain('safe, needs a person: chaos-7-3 has no payment');
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
  it('exits 1, and prints the consequence, the timeline, what to change and the page', async () => {
    const { code, stdout } = await runChaos({ app: 'twice', options: only('response-lost') });
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /^FAILED +response-lost .* paid 3 times: 3,009\.00 USD left the wallet for chaos-\d+-3$/m,
    );
    expect(stdout).toContain('trigger 3 starts');
    expect(stdout).toMatch(/\+\d\.\d\d s {2}create: no response \(reset_after_commit\), payment pay_test_/);
    expect(stdout).toContain('What to change: Never repeat a create without a readable response');
    expect(stdout).toContain('docs: https://docs.example.com/payments-kit/cli/chaos#unknown-outcomes');
  });

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
    const folder = mkdtempSync(join(tmpdir(), 'chaos-profile-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
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
        { name: 'gateway-error', verdict: 'failed', detail: expect.stringContaining('left the wallet') },
      ],
    });
  });
});

describe('chaos stops before a second trigger', () => {
  it.each([
    [
      { SERVICE_API_KEY: 'service_live_0123456789abcdef' },
      'SERVICE_API_KEY in the environment contains a live key.',
    ],
    [
      { SERVICE_BASE_URL: 'https://api.example.com/api/v1' },
      'SERVICE_BASE_URL in the environment is the base URL of another machine.',
    ],
  ])('with %j', async (env, message) => {
    const { code, stderr, stdout } = await runChaos({ env });
    expect({ code, stderr, stdout }).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(message),
      stdout: '',
    });
    expect(stderr).not.toContain('0123456789abcdef');
  });

  it.each([
    ['SERVICE_KEY="service_live_0123456789abcdef"', 'SERVICE_KEY in .env.local contains a live key.'],
    [
      'export URL=https://api.example.com/api/v1 # pays',
      'URL in .env.local is the base URL of another machine.',
    ],
  ])('with %s in .env.local', async (line, message) => {
    const folder = mkdtempSync(join(tmpdir(), 'chaos-env-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    writeFileSync(join(folder, '.env.local'), `# keys\n${line}\n`);
    const argv = ['--trigger', 'true {reference}', '--', 'true'];
    const child = spawn(process.execPath, [fromSource, main, 'chaos', ...argv], {
      cwd: folder,
      env: childEnv,
    });
    const { code, stderr } = await end(child);
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
  });

  it('if the application pays at another address', async () => {
    const { folder, ended } = await start({ app: 'elsewhere', options: ['--settle', '300ms'] });
    const { code, stderr } = await ended;
    expect({ code, triggers: readFileSync(join(folder, 'triggers'), 'utf8') }).toEqual({
      code: 2,
      triggers: '1',
    });
    expect(stderr).toContain('The trigger made no create arrive at the mock within 300 ms');
    expect(listLeftovers(folder)).toEqual([]);
  });

  it('if the trigger does not exist', async () => {
    const { code, stderr } = await runChaos({
      trigger: './no-such-program {reference}',
      options: ['--settle', '300ms'],
    });
    expect({ code, stderr }).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('(trigger 1 ends: exit code 127)'),
    });
  });
});

describe('chaos with an application that cannot be tested', () => {
  it('that exits at once', async () => {
    const script = "console.error('no database'); process.exit(3)";
    const { code, stderr } = await runChaos({ command: [process.execPath, '-e', script] });
    expect({ code, stderr }).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('ended with code 3 before it was ready'),
    });
    expect(stderr).toContain('no database');
  });

  it('with a profile that the mock rejects', async () => {
    const profile = join(mkdtempSync(join(tmpdir(), 'chaos-profile-')), 'profile.json');
    onTestFinished(() => rmSync(dirname(profile), { recursive: true }));
    writeFileSync(profile, '{"idempotency":"sometimes"}');
    const { code, stderr } = await runChaos({ options: ['--profile', profile] });
    expect({ code, stderr }).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--profile: profile.idempotency must be one of'),
    });
  });

  it('that does not exist', async () => {
    const { code, stderr } = await runChaos({ command: ['./no-such-program'] });
    expect({ code, stderr }).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Cannot start "./no-such-program" (ENOENT).'),
    });
  });

  it('whose port is in use', async () => {
    const server = createServer().listen(0);
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const { port } = server.address() as { port: number };
    const { code, stderr } = await runChaos({ options: ['--app-port', String(port)] });
    expect({ code, stderr }).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`Port ${port} of the application is in use by another program.`),
    });
  });

  it.each([
    ['other-port', /It listens on \d+: pass --app-port\. Its last output:/],
    ['never-ready', /was not ready at port \d+ \(variable PORT\) within 60 s\. Its last output:/],
  ])('that is not ready in time: %s', async (app, message) => {
    const folder = mkdtempSync(join(tmpdir(), 'chaos-test-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const [port = 0] = await findFreePorts(1);
    const command = `cd ${folder} && exec ${process.execPath} ${fixture} ${app}`;
    const argv = ['--trigger', 'true {reference}', '--app-port', String(port), '--', 'sh', '-c', command];
    const env = { ...childEnv, TMPDIR: folder };
    const { code, stderr } = await runCli(['chaos', ...argv], { env, cwd: folder, clock: fastClock });
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringMatching(message) });
    expect(listLeftovers(folder)).toEqual([]);
  });

  it('that pays under other references', async () => {
    const trigger = (await findFreePorts(1)).map((port) => `POST http://localhost:${port}/{reference}/5.00`);
    const options = ['--app-port', /:(\d+)/.exec(String(trigger))?.[1] ?? '', ...only('response-lost')];
    const { stdout, code } = await runChaos({ app: 'other-references', trigger: String(trigger), options });
    expect(stdout).toMatch(/^not judged +response-lost .*cannot tell which creates belong to chaos-/m);
    expect(code).toBe(2);
  });
});

describe('chaos leaves nothing running', () => {
  it('after an application that prints 100 MB', async () => {
    const { folder, ended } = await start({ app: 'prints', options: only('baseline') });
    expect((await ended).code).toBe(0);
    const log = readdirSync(folder).find((name) => name.startsWith('service-chaos-')) ?? '';
    expect(statSync(join(folder, log, 'output.log')).size).toBeGreaterThan(100_000_000);
  });

  it('after an application that ignores SIGTERM, and whose children left its group', async () => {
    const { folder, ended } = await start({ app: 'stubborn', options: only('killed-after-response') });
    expect((await ended).code).toBe(0);
    expect(listLeftovers(folder)).toEqual([]);
  });

  it.each([
    ['Ctrl+C', 'SIGINT', 1],
    ['Ctrl+C twice', 'SIGINT', 2],
    ['a closed terminal', 'SIGHUP', 1],
  ] as const)('after %s', async (_, signal, count) => {
    const { child, folder, ended } = await start({ app: 'stubborn' });
    for await (const line of createInterface({ input: child.stdout! })) if (line.includes('baseline')) break;
    for (let sent = 0; sent < count; sent += 1) child.kill(signal);
    await ended;
    await expect.poll(() => listLeftovers(folder)).toEqual([]);
  });
});

describe('chaos rejects', () => {
  it.each([
    [['--trigger', 'pay {reference}'], 'The command that starts the application is missing.'],
    [['--', 'true'], 'Pass --trigger, which makes the application pay {reference}, or --webhooks, or both.'],
    [['--trigger', 'pay', '--', 'true'], '--trigger must contain {reference} or {amount}'],
    [
      ['--trigger', 'pay {amount}', '--handled', 'true', '--', 'true'],
      '--handled requires --webhooks, whose effects it counts.',
    ],
    [['--webhooks', 'hooks', '--', 'true'], 'Write a URL path, such as /api/webhooks.'],
    [['--settle', '2', '--', 'true'], 'Write a duration above 0 with its unit'],
    [['--instances', '9', '--', 'true'], 'Write a whole number from 1 to 8.'],
  ])('%j', async (argv, message) => {
    const { code, stderr } = await runCli(['chaos', ...argv]);
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
  });

  it('a count of --handled that is not a number', async () => {
    const { code, stderr } = await runChaos({ options: ['--handled', 'echo many', ...only('baseline')] });
    const message = '--handled must print a number. "echo many" printed "many\\n".';
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
  });

  it('an unknown scenario', async () => {
    const { code, stderr } = await runChaos({ options: only('outage') });
    const message = '--only: there is no scenario "outage". The scenarios: baseline, response-lost, ';
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
  });
});

describe('the guide of chaos', () => {
  it('lists each scenario, and has a section for each page', () => {
    const guide = readFileSync(new URL('../docs/chaos.md', import.meta.url), 'utf8');
    const listed = Array.from(guide.matchAll(/^\| `([\w-]+)` +\| (.*?) +\|/gm), ([, name, happens]) => ({
      name,
      happens,
    }));
    const expected = scenarios.map(({ name, happens }) => ({ name, happens }));
    expect(listed.filter(({ name }) => !name?.startsWith('-'))).toEqual(expected);
    const sections = Array.from(guide.matchAll(/^### (.*)$/gm), ([, title = '']) =>
      title.toLowerCase().replaceAll(' ', '-'),
    );
    expect(sections).toEqual(Object.keys(pages));
  });
});
