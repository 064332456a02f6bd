import { type ChildProcess, spawn, type SpawnOptions } from 'node:child_process';
import { constants } from 'node:os';
import { once } from 'node:events';
import { createDeferred, type RunClock } from '@service/internal';
import { UsageError } from '../errors.ts';

/** Copies of one Ctrl+C arrive within this time, in milliseconds: npx forwards a signal that the terminal also sends to this process. */
const SAME_SIGNAL = 500;

/** Time from the signal to its repetition, and from there to SIGKILL, in milliseconds. */
const DRAIN = 30_000;
const GRACE = 5_000;
const CHECK_DELAY = 20;

/**
 * Runs a command in its own process group, with the terminal of this process. Forwards signals to all of its processes, and
 * resolves when all have ended: to the exit code, or to 128 and the number of the signal that ended the command. Processes
 * that outlive the command get one signal too.
 *
 * @throws {UsageError} when the command cannot start.
 */
export async function runChild(
  command: readonly string[],
  env: NodeJS.ProcessEnv,
  clock: RunClock,
): Promise<number> {
  const child = await spawnGroup(command, { env, stdio: 'inherit' }, 'service-cli dev');
  const ended = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
  const group = child.pid ?? 0;
  const forwarding = forwardSignals(group, clock);
  await Promise.race([ended, forwarding.terminated]);
  forwarding.endOnce('SIGTERM');
  await untilEnded(group, clock);
  forwarding.stop();
  const [code, signal] = await ended;
  return code ?? 128 + (signal === null ? 0 : constants.signals[signal]);
}

/**
 * Starts a command in its own process group, so that a signal reaches each process that it starts.
 *
 * @param start The words before the command in messages.
 * @throws {UsageError} when the command cannot start.
 */
export async function spawnGroup(
  [program = '', ...args]: readonly string[],
  options: SpawnOptions,
  start: string,
): Promise<ChildProcess> {
  const child = spawn(program, args, { ...options, detached: true });
  await once(child, 'spawn').catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(explainFailure(program, error, start));
  });
  return child;
}

function explainFailure(
  program: string,
  { code = 'unknown error' }: NodeJS.ErrnoException,
  start: string,
): string {
  const name = JSON.stringify(program);
  if (code === 'ENOENT') {
    const hint = /\s/.test(program)
      ? ` Write the command without quotes: ${start} -- ${program}`
      : ' The command runs without a shell; for shell syntax, use `sh -c`.';
    return `Cannot start ${name}: there is no such command.${hint}`;
  }
  if (code === 'EACCES') return `Cannot start ${name}: it is not an executable file.`;
  return `Cannot start ${name} (${code}).`;
}

/** Forwards the signals of this process to a group. A second SIGINT, SIGTERM or SIGHUP kills the group. */
function forwardSignals(group: number, clock: RunClock) {
  let endedAt: number | undefined;
  const { promise: terminated, resolve: terminate } = createDeferred();
  /** Sends a signal, unless the group has got one. */
  const endOnce = (signal: NodeJS.Signals): void => {
    if (endedAt === undefined) sendSignal(-group, signal);
    endedAt ??= clock.now();
  };
  const end = (signal: NodeJS.Signals): void => {
    if (endedAt !== undefined && clock.now() - endedAt > SAME_SIGNAL) sendSignal(-group, 'SIGKILL');
    endOnce(signal);
    // A program at a prompt does not end at Ctrl+C.
    if (signal !== 'SIGINT') terminate();
  };
  const forward = (signal: NodeJS.Signals): void => void sendSignal(-group, signal);
  const suspend = (): void => {
    // SIGSTOP, because the kernel ignores SIGTSTP in a group without a parent in its session.
    sendSignal(-group, 'SIGSTOP');
    process.kill(process.pid, 'SIGSTOP');
  };
  const listeners: readonly (readonly [NodeJS.Signals, (signal: NodeJS.Signals) => void])[] = [
    ['SIGINT', end],
    ['SIGTERM', end],
    ['SIGHUP', end],
    ['SIGWINCH', forward],
    ['SIGTSTP', suspend],
    ['SIGCONT', forward],
  ];
  for (const [signal, listener] of listeners) process.on(signal, listener);
  const stop = (): void => {
    for (const [signal, listener] of listeners) process.off(signal, listener);
  };
  return { endOnce, terminated, stop };
}

/** Waits until the processes of a group have ended after a signal. Sends SIGTERM again and then SIGKILL to those that last. */
async function untilEnded(group: number, clock: RunClock): Promise<void> {
  const { signal } = new AbortController();
  const start = clock.now();
  for (const [last, limit] of [
    ['SIGTERM', DRAIN],
    ['SIGKILL', DRAIN + GRACE],
    // The first process of a container may reap none: ended processes stay in the group.
    [0, DRAIN + 2 * GRACE],
  ] as const) {
    while (clock.now() - start < limit) {
      if (!sendSignal(-group, 0)) return;
      await clock.sleep(CHECK_DELAY, signal);
    }
    sendSignal(-group, last);
  }
}

/** Sends a signal to a process, or to all processes of the group of a negative id; 0 sends none. Returns false if there is none. */
export function sendSignal(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}
