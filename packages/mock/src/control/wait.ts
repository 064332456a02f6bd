import { type Duration, parseDuration } from '../state/duration.ts';
import { SandboxError } from '../state/sandbox-error.ts';
import { checkArguments } from './arguments.ts';

/** The timeout and signal of a wait. */
export interface WaitTimeoutOptions {
  /**
   * Maximum waiting time, in real time. The default is shorter than the timeout of test runners, so that a
   * test fails with a useful message.
   *
   * @default '3s'
   */
  readonly timeout?: Duration;
  /** Ends the wait when it is aborted. The wait rejects with the reason of the signal. */
  readonly signal?: AbortSignal;
}

/** The checked timeout and signal of a wait. */
export interface WaitLimits {
  /** In milliseconds. */
  readonly timeout: number;
  readonly signal: AbortSignal | undefined;
}

const LONGEST_TIMEOUT = 86_400_000;

/**
 * Checks the options of a wait.
 *
 * @throws {SandboxError}
 */
export function readLimits(call: string, options: WaitTimeoutOptions): WaitLimits {
  checkArguments(`${call} options`, options, ['timeout', 'signal']);
  const timeout = parseDuration(options.timeout ?? '3s');
  if (timeout > LONGEST_TIMEOUT) throw new SandboxError('invalid_argument', "timeout must be at most '1d'.");
  return { timeout, signal: readSignal(options.signal) };
}

function readSignal(signal: unknown): AbortSignal | undefined {
  if (signal === undefined || signal instanceof AbortSignal) return signal;
  throw new SandboxError('invalid_argument', 'signal must be an AbortSignal.');
}
