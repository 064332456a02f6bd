import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it, onTestFinished } from 'vitest';
import { childEnv } from '../../../test/support/child-env.ts';
import { findFreePorts } from '../src/chaos/runner.ts';
import {
  end,
  fastClock,
  fixture,
  fromSource,
  listFiles,
  listLeftovers,
  main,
  only,
  runChaos,
  start,
} from './chaos.support.ts';
import { makeFolder, runCli } from './support.ts';

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
    ['SERVICE_KEY=service_live_a.b~c+d/e=', 'SERVICE_KEY in .env.local contains a live key.'],
    [
      'export URL=https://api.example.com/api/v1 # pays',
      'URL in .env.local is the base URL of another machine.',
    ],
  ])('with %s in .env.local', async (line, message) => {
    const folder = makeFolder();
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
      stderr: expect.stringContaining('Cannot start "./no-such-program": there is no such command.'),
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

  it.each(['other-port', 'never-ready'])('that is not ready in time: %s', async (app) => {
    const folder = makeFolder();
    const [port = 0] = await findFreePorts(1);
    const command = `cd ${folder} && exec ${process.execPath} ${fixture} ${app}`;
    const argv = ['--trigger', 'true {reference}', '--app-port', String(port), '--', 'sh', '-c', command];
    const env = { ...childEnv, TMPDIR: folder };
    const { code, stderr } = await runCli(['chaos', ...argv], { env, cwd: folder, clock: fastClock });
    const message =
      /was not ready at port \d+ \(variable PORT\) within 60 s\. If it has another port, pass --app-port\. Its last output:/;
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

describe('chaos leaves no process and no file', () => {
  it('after an application that prints 100 MB', async () => {
    const { folder, ended } = await start({ app: 'prints', options: only('baseline') });
    expect((await ended).code).toBe(0);
    expect(listFiles(folder)).toEqual([]);
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
    ['kill -9', 'SIGKILL', 1],
  ] as const)('after %s', async (_, signal, count) => {
    const { child, folder, ended } = await start({ app: 'stubborn' });
    for await (const line of createInterface({ input: child.stdout! })) if (line.includes('baseline')) break;
    for (let sent = 0; sent < count; sent += 1) child.kill(signal);
    await ended;
    await expect.poll(() => listLeftovers(folder)).toEqual([]);
    expect(listFiles(folder)).toEqual([]);
  });
});
