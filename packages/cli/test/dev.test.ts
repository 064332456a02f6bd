import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createMock } from '@service/mock';
import { listen } from '@service/mock/node';
import { describe, expect, it, onTestFinished } from 'vitest';
import { childEnv } from '../../../test/support/child-env.ts';
import { end, fromSource, isAlive, main } from './chaos.support.ts';
import { expectRefusals, findFreePort, makeFolder, toExplainLine } from './support.ts';

const app = new URL('fixtures/dev-app.ts', import.meta.url).pathname;
const node = [process.execPath, fromSource];
/** Runs the app of the tests with a mock that is faster than real time. */
const fastApp = (port: number, ...steps: string[]): string[] => [
  '--speed',
  '60',
  '--app-port',
  String(port),
  '--',
  ...node,
  app,
  '/webhooks',
  String(port),
  ...steps,
];

type Variables = Record<string, string>;

/** Starts `service-cli dev` in a separate process. */
function start(argv: readonly string[], env: Variables = {}): ChildProcess {
  const child = spawn(process.execPath, [fromSource, main, 'dev', ...argv], {
    env: { ...childEnv, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

const runDev = (argv: readonly string[], env?: Variables) => end(start(argv, env));

/** Returns the arguments for a script that runs in the command. */
const script = (text: string): string[] => ['--', process.execPath, '-e', text];

/** Resolves to the first line that the command prints. */
async function firstLine(child: ChildProcess): Promise<string> {
  const [line] = (await once(createInterface({ input: child.stdout! }), 'line')) as [string];
  return line;
}

const account = { name: 'acme', testKey: 'service_test_acme', balances: { USD: '5.00' } };

function writeSeed(seed: object): string {
  const folder = makeFolder();
  const path = join(folder, 'service.sandbox.json');
  writeFileSync(path, JSON.stringify(seed));
  return path;
}

describe('dev with an Express app', () => {
  it('gets verified webhooks, and a line for each request and attempt, and exits 0', async () => {
    const port = await findFreePort();
    const { code, stdout, stderr } = await runDev(fastApp(port));
    const [, ...events] = stdout.trim().split('\n');
    const url = `http://localhost:${port}/webhooks`;
    expect(events).toEqual(['payment.pending', 'payment.processing', 'payment.completed']);
    const lines = stderr
      .replaceAll(/\d+ ms/g, '# ms')
      .replaceAll(/\d\d:\d\d:\d\d/g, 'TIME')
      .trim()
      .split('\n');
    expect(lines.shift()).toMatch(
      /^mock: runs at http:\/\/127\.0\.0\.1:\d+\/api\/v1, dashboard at http:\/\/127\.0\.0\.1:\d+\/$/,
    );
    expect(lines.toSorted()).toEqual([
      expect.stringMatching(/^mock: TIME {2}POST {2}\/api\/v1\/payments {2}201 {2}# ms {2}pay_test_\w+$/),
      `mock: TIME  payment.completed  ${url}  200  # ms`,
      `mock: TIME  payment.pending  ${url}  200  # ms`,
      `mock: TIME  payment.processing  ${url}  200  # ms`,
      `mock: webhooks go to ${url}`,
    ]);
    expect(code).toBe(0);
  });

  it('holds webhooks until the app listens', async () => {
    const { code, stdout } = await runDev(fastApp(await findFreePort(), 'late'));
    expect({ code, events: stdout.match(/payment\.\w+/g)?.length }).toEqual({ code: 0, events: 3 });
  });

  it('takes the port of --app-port or PORT, and the path of --webhooks', async () => {
    const seed = writeSeed({ accounts: [account], clock: { speed: 60 } });
    for (const isOption of [true, false]) {
      const port = String(await findFreePort());
      const named = isOption ? ['--app-port', port] : [];
      const argv = [
        ...named,
        '--seed-file',
        seed,
        '--webhooks',
        '/hooks',
        '--',
        ...node,
        app,
        '/hooks',
        port,
      ];
      const { code, stdout, stderr } = await runDev(argv, isOption ? {} : { PORT: port });
      expect(stderr).toContain(`mock: webhooks go to http://localhost:${port}/hooks\n`);
      expect({ code, events: stdout.match(/payment\.\w+/g)?.length }).toEqual({ code: 0, events: 3 });
    }
  });

  it('suggests --webhooks if the app has no such route', async () => {
    const port = String(await findFreePort());
    const child = start(['--app-port', port, '--', ...node, app, '/other', port]);
    const ended = end(child);
    for await (const line of createInterface({ input: child.stderr! })) {
      if (!line.includes('  404  ')) continue;
      expect(line).toContain('(does the app have this route? See --webhooks)');
      break;
    }
    child.kill('SIGTERM');
    expect((await ended).code).toBe(143);
  });
});

describe('dev with a seed file', () => {
  it('passes the key and the secret of the first account, and keeps the route of its endpoint', async () => {
    const endpoint = { url: 'http://localhost:3999/hooks?tenant=1', secret: 'a secret of the seed' };
    const path = writeSeed({ accounts: [{ ...account, endpoint }] });
    const { stdout, stderr } = await runDev([
      '--seed-file',
      path,
      ...script('console.log(process.env.SERVICE_API_KEY, process.env.SERVICE_WEBHOOK_SECRET)'),
    ]);
    expect(stdout).toBe('service_test_acme a secret of the seed\n');
    expect(stderr).toContain(`mock: starts with ${path}\n`);
    expect(stderr).toContain('mock: webhooks go to http://localhost:3999/hooks?tenant=1\n');
  });
});

describe('dev with npm test', () => {
  it('exits like the tests, without --json of their command', async () => {
    const folder = makeFolder();
    writeFileSync(
      join(folder, 'package.json'),
      JSON.stringify({ scripts: { test: `node check.mjs && exit 3` } }),
    );
    const check = `const { SERVICE_API_KEY: key, SERVICE_BASE_URL: url } = process.env;
const { status } = await fetch(url + '/balance', { headers: { 'x-api-key': key } });
console.log(status, process.argv.includes('--json'));`;
    writeFileSync(join(folder, 'check.mjs'), check);
    const { code, stdout, stderr } = await runDev(['--', 'npm', '--prefix', folder, 'test', '--silent']);
    expect({ code, stdout }).toEqual({ code: 3, stdout: '200 false\n' });
    expect(stderr).toMatch(
      /^mock: runs at \S+, dashboard at \S+\nmock: webhooks go to http:\/\/localhost:3000\/webhooks\nmock: \S+ {2}GET {3}\/api\/v1\/balance {2}200 {2}\d+ ms\n/,
    );
  });
});

describe('dev', () => {
  it('passes its streams and three variables over those of the shell, and prints no key or secret itself', async () => {
    const names = ['SERVICE_BASE_URL', 'SERVICE_API_KEY', 'SERVICE_WEBHOOK_SECRET'];
    const given = Object.fromEntries(names.map((name) => [name, 'from-the-shell']));
    const print = `${JSON.stringify(names)}.map((name) => process.env[name]).join(' ')`;
    const child = start(
      script(
        `console.log(${print}); process.stdin.pipe(process.stdout); console.error('a line of the command')`,
      ),
      given,
    );
    const ended = end(child);
    child.stdin!.end('some input');
    const { stdout, stderr } = await ended;
    expect(stdout).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/api\/v1 service_test_\w+ [0-9a-f]{64}\nsome input$/);
    expect(stderr).toContain('\na line of the command\n');
    for (const secret of stdout.split(/[ \n]/).slice(1, 3)) expect(stderr).not.toContain(secret);
  });

  it('sends no webhooks with --no-webhooks', async () => {
    const seed = writeSeed({
      accounts: [{ name: 'shop', endpoint: { url: 'http://localhost:9/webhooks' } }],
    });
    const command = script(`(async () => {
      const { SERVICE_API_KEY, SERVICE_BASE_URL, SERVICE_WEBHOOK_SECRET } = process.env;
      const headers = { authorization: 'Bearer ' + SERVICE_API_KEY, 'content-type': 'application/json' };
      const body = JSON.stringify({ from_currency: 'USD', to_currency: 'EUR', amount: 1, beneficiary_name: 'A' });
      const { status } = await fetch(SERVICE_BASE_URL + '/payments', { method: 'POST', headers, body });
      const url = new URL('/_sandbox/webhooks/deliveries', SERVICE_BASE_URL);
      const { deliveries } = await (await fetch(url)).json();
      console.log(JSON.stringify([status, deliveries, SERVICE_WEBHOOK_SECRET ?? null]));
    })()`);
    const { stdout, stderr } = await runDev(['--no-webhooks', '--seed-file', seed, ...command]);
    expect(JSON.parse(stdout)).toEqual([201, [], null]);
    expect(stderr).not.toContain('webhooks go to');
  });

  it('takes a free port if 4010 is in use, unless --port is given', async () => {
    const mock = createMock();
    await using server = await listen(mock, { port: await findFreePort() });
    const first = start(
      script("console.log(process.env.SERVICE_BASE_URL); process.stdin.on('end', () => {}).resume()"),
    );
    const used = await firstLine(first);
    const { stdout } = await runDev(script('console.log(process.env.SERVICE_BASE_URL)'));
    expect(stdout).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/api\/v1\n$/);
    expect(stdout).not.toBe(`${used}\n`);
    first.stdin!.end();
    expect((await end(first)).code).toBe(0);
    expect(await runDev(['--port', String(server.port), ...script('')])).toEqual({
      code: 2,
      stdout: '',
      stderr: `error: Port ${server.port} is in use. Choose another one with --port, or 0 for any free port.\n${toExplainLine('port_in_use')}`,
    });
    await mock.close();
  });

  it('exits like a command that handles the signal', async () => {
    const child = start(
      script(
        "process.on('SIGINT', () => process.exit(5)); console.log('ready'); setInterval(() => {}, 1000)",
      ),
    );
    await firstLine(child);
    child.kill('SIGINT');
    expect((await end(child)).code).toBe(5);
  });

  it('passes one of two signals at once, and kills the command at a later one', async () => {
    const child = start(
      script(`process.on('SIGINT', () => {
  console.log('interrupted');
  setTimeout(() => console.log('later'), 1000);
});
console.log('ready');
setInterval(() => {}, 1000);`),
    );
    const ended = once(child, 'exit');
    const lines: string[] = [];
    for await (const line of createInterface({ input: child.stdout! })) {
      lines.push(line);
      if (line === 'interrupted') continue;
      child.kill('SIGINT');
      if (line === 'ready') child.kill('SIGINT');
    }
    expect(lines).toEqual(['ready', 'interrupted', 'later']);
    expect(await ended).toEqual([137, null]);
  });

  it('stops and continues with the command', async () => {
    const child = start(script("console.log(process.pid); process.stdin.on('end', () => {}).resume()"));
    const pid = await firstLine(child);
    const readState = (id: unknown): string =>
      /\) (\w)/.exec(readFileSync(`/proc/${String(id)}/stat`, 'utf8'))![1]!;
    child.kill('SIGTSTP');
    await expect.poll(() => readState(child.pid)).toBe('T');
    await expect.poll(() => readState(pid)).toBe('T');
    child.kill('SIGCONT');
    await expect.poll(() => readState(pid)).not.toBe('T');
    child.stdin!.end();
    expect((await end(child)).code).toBe(0);
  });

  it('ends the processes that the command leaves behind', async () => {
    const { code, stdout } = await runDev(['--', 'sh', '-c', 'sleep 1000 & echo $!; exit 4']);
    expect({ code, isAlive: isAlive(Number(stdout)) }).toEqual({ code: 4, isAlive: false });
  });

  it('exits 2 for invalid arguments, seed files and commands', async () => {
    const missing = 'The command to run is missing. Write it after --, such as `service-cli dev --';
    const seedFile = (seed: object): string[] => ['--seed-file', writeSeed(seed), ...script('')];
    await expectRefusals({ command: 'dev --port 0' }, [
      [[], `${missing} npm run dev\`.`],
      ['npm test', `${missing} npm test\`.`],
      ['--', `${missing} npm run dev\`.`],
      ['--webhooks hooks -- npm', 'Write a URL path, such as /webhooks.'],
      ['--app-port 0 -- npm', 'Write a whole number from 1 to 65535.'],
      [seedFile({ accounts: [{ ...account, balance: {} }] }), 'balance'],
      [seedFile({ colour: 'red' }), 'colour'],
      [
        '-- nowhere',
        'Cannot start "nowhere": there is no such command. The command runs without a shell; for shell syntax, use `sh -c`.',
      ],
      [
        ['--', 'npm test'],
        'Cannot start "npm test": there is no such command. Write the command without quotes: service-cli dev -- npm test',
      ],
      [['--', tmpdir()], `Cannot start "${tmpdir()}": it is not an executable file.`],
    ]);
  });
});
