import { once } from 'node:events';
import type { RunClock } from '@service/internal';
import type { Command } from 'commander';
import type { Output } from './output.ts';

/**
 * The exit codes: success, rejected, usage error, outcome unknown, webhook not verified, and a payment run that
 * the same command continues (`EX_TEMPFAIL` of sysexits.h).
 */
export const exitCodes = {
  ok: 0,
  refused: 1,
  usage: 2,
  unknown: 3,
  unverified: 4,
  unfinished: 75,
} as const;

/** One of the exit codes. */
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** A destination of output: a stream of the process, or a list in tests. Throws or rejects if the text is lost. */
export interface Sink {
  readonly write: (text: string) => unknown;
  /** Whether it is a terminal. */
  readonly isTTY?: boolean | undefined;
  /** The width of the terminal. */
  readonly columns?: number | undefined;
}

/** A source of input bytes. `isTTY` is true for a terminal. */
export type Source = AsyncIterable<Uint8Array | string> & { readonly isTTY?: boolean | undefined };

/** Everything outside the program that a run uses. Tests inject their own. */
export interface Environment {
  /** The arguments without the interpreter and the script. */
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: Source;
  readonly stdout: Sink;
  readonly stderr: Sink;
  /** Interrupts the run. */
  readonly signal: AbortSignal;
  /**
   * The folder of files that are found without a path.
   *
   * @default the working directory
   */
  readonly cwd?: string | undefined;
  /**
   * The function that sends requests.
   *
   * @default globalThis.fetch
   */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /**
   * The time and timers of the run.
   *
   * @default runClock
   */
  readonly clock?: RunClock | undefined;
}

/** The options of every command. */
export interface GlobalOptions {
  readonly keyFile?: string;
  readonly baseUrl?: string;
  readonly allowInsecureHttp?: true;
}

/** The context of a command, with the environment of its run. */
export interface Session extends Environment {
  readonly clock: RunClock;
  readonly output: Output;
  /** Returns the options of every command. Valid once the arguments are parsed. */
  readonly globals: () => GlobalOptions;
  /** Returns the API key of the options or the environment. Reads it once, because stdin can contain it. */
  readonly findKey: () => Promise<string | undefined>;
}

/** Runs the work of a command, and keeps its exit code, if that is not 0. */
export type StartWork = (work: (session: Session) => Promise<number | void>) => Promise<void>;

/** Adds the arguments, the options and the action of a command. */
export type DefineCommand = (command: Command, start: StartWork) => void;

/** Resolves when the signal is aborted. */
export async function whenAborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort');
}
