import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { describe, expect, it, onTestFinished } from 'vitest';
import { childEnv } from '../../../test/support/child-env.ts';
import { runChild } from '../src/dev/child.ts';
import { fromSource, isAlive, main } from './chaos.support.ts';

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const exitCodes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 };

/** The start of an application that prints its signals, and reads lines from a socket of the test. */
const application = `
const { connect } = require('node:net');
const socket = connect(Number(process.env.TEST_PORT), '127.0.0.1');
const lines = require('node:readline').createInterface({ input: socket });
const tell = (text) => new Promise((resolve) => socket.write(text + '\\n', resolve));
for (const name of ${JSON.stringify(signals)}) process.on(name, () => tell(name));
tell(process.env.GROUP ?? process.ppid);
`;

/** An application in another process, which talks to the test. */
interface Application {
  readonly port: number;
  /** All lines so far. */
  readonly lines: readonly string[];
  /** Resolves when the application has sent a number of lines. */
  readonly receive: (count: number) => Promise<readonly string[]>;
  readonly send: (line: string) => void;
  /** Resolves when its process has ended. */
  readonly ended: Promise<unknown>;
}

async function listenToApplication(): Promise<Application> {
  const lines: string[] = [];
  const connected = Promise.withResolvers<Socket>();
  const ended = Promise.withResolvers<void>();
  const server = createServer((socket) => {
    connected.resolve(socket);
    socket.on('error', () => {}).once('close', () => ended.resolve());
    createInterface({ input: socket }).on('line', (line) => lines.push(line));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  return {
    port: (server.address() as { port: number }).port,
    lines,
    async receive(count) {
      await expect.poll(() => lines.length).toBeGreaterThanOrEqual(count);
      return lines;
    },
    send: (line) => void connected.promise.then((socket) => socket.write(`${line}\n`)),
    ended: ended.promise,
  };
}

/** A clock that the test sets. Its sleepers wait for the next turn. */
function createTestClock() {
  let now = 1_000_000;
  return {
    now: () => now,
    sleep: () => new Promise((resolve) => void setImmediate(resolve)),
    advance: (milliseconds: number) => void (now += milliseconds),
  };
}

/** Commands whose first process ends at a signal before the application. `$0` is Node, and `$1` the program. */
const parents = [
  ['a shell that waits', '"$0" -e "$1" & wait'],
  ['a shell below a shell', 'sh -c \'"$0" -e "$1" & wait\' "$0" "$1"; exit 1'],
  ['a pipeline', '"$0" -e "$1" | cat & wait'],
] as const;

describe('the end of dev', () => {
  it.each(parents.map(([name, script], index) => ({ name, script, signal: signals[index]! })))(
    'sends one $signal to an application below $name, and answers it until it has ended',
    async ({ script, signal }) => {
      const app = await listenToApplication();
      const program = `${application}
      lines.once('line', async () => {
        const { SERVICE_API_KEY, SERVICE_BASE_URL } = process.env;
        const { status } = await fetch(SERVICE_BASE_URL + '/balance', { headers: { 'x-api-key': SERVICE_API_KEY } });
        await tell('status ' + status);
        process.exit(0);
      });`;
      const command = ['sh', '-c', script, process.execPath, program];
      const dev = spawn(
        process.execPath,
        [fromSource, main, 'dev', '--port', '0', '--no-webhooks', '--', ...command],
        { env: { ...childEnv, TEST_PORT: String(app.port) }, stdio: 'ignore' },
      );
      onTestFinished(() => void dev.kill('SIGKILL'));
      const ended = once(dev, 'exit');
      const [parent] = await app.receive(1);
      dev.kill(signal);
      await app.receive(2);
      // The shell ends at the signal, and the application goes on.
      await expect.poll(() => isAlive(Number(parent))).toBe(false);
      app.send('end');
      expect(await ended).toEqual([exitCodes[signal], null]);
      expect(app.lines.slice(1)).toEqual([signal, 'status 200']);
    },
  );

  /** Starts an application below a shell, with the clock of a test. */
  async function startApplication(script: string) {
    const app = await listenToApplication();
    const clock = createTestClock();
    const command = ['sh', '-c', `export GROUP=$$; ${script}`, process.execPath, application];
    const exitCode = runChild(command, { ...childEnv, TEST_PORT: String(app.port) }, clock);
    const group = Number((await app.receive(1))[0]);
    onTestFinished(() => {
      if (isAlive(-group)) process.kill(-group, 'SIGKILL');
    });
    const signal = (name: NodeJS.Signals): void => void process.emit(name, name);
    return { app, clock, group, exitCode, signal };
  }

  const waiting = '"$0" -e "$1" & wait';
  it.each([
    ['a command that was killed', waiting, undefined, 'SIGTERM', 137],
    ['a command that ended at SIGINT', waiting, 'SIGINT', 'SIGINT', 130],
    ['a command that handles SIGTERM', 'exec "$0" -e "$1"', 'SIGTERM', 'SIGTERM', 137],
    ['a command that handles SIGHUP', 'exec "$0" -e "$1"', 'SIGHUP', 'SIGHUP', 137],
  ] as const)(
    'repeats the signal after 30 s, and kills 5 s later: %s',
    async (_, script, sent, seen, expected) => {
      const { app, clock, group, exitCode, signal } = await startApplication(script);
      if (sent === undefined) process.kill(group, 'SIGKILL');
      else signal(sent);
      await app.receive(2);
      clock.advance(29_999);
      expect(app.lines.slice(1)).toEqual([seen]);
      // The time of a command that ends after the signal begins then.
      await expect.poll(() => (clock.advance(1), app.lines.slice(1))).toEqual([seen, 'SIGTERM']);
      clock.advance(5_000);
      await app.ended;
      expect(await exitCode).toBe(expected);
    },
  );

  it('kills an application that drains at a second signal, but not at a copy of the first', async () => {
    const { app, clock, group, exitCode, signal } = await startApplication(waiting);
    signal('SIGINT');
    await app.receive(2);
    await expect.poll(() => isAlive(group)).toBe(false);
    signal('SIGINT');
    clock.advance(500);
    signal('SIGTERM');
    expect(isAlive(-group)).toBe(true);
    clock.advance(1);
    signal('SIGINT');
    await app.ended;
    expect(await exitCode).toBe(130);
    expect(app.lines.slice(1)).toEqual(['SIGINT']);
  });

  it('leaves a program at a prompt that handles SIGINT alone', async () => {
    const { app, clock, exitCode, signal } = await startApplication('exec "$0" -e "$1"');
    signal('SIGINT');
    await app.receive(2);
    clock.advance(3_600_000);
    expect(app.lines.slice(1)).toEqual(['SIGINT']);
    signal('SIGINT');
    expect(await exitCode).toBe(137);
  });
});
