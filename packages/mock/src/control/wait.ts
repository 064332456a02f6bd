import { type Duration, parseDuration } from '../state/duration.ts';
import { SandboxError } from '../state/sandbox-error.ts';
import { checkArguments } from './arguments.ts';

/** Says how long to wait. */
export interface WaitOptions {
  /**
   * How long to wait, in real time; less than test runners wait, so that the test fails with what was seen.
   *
   * @default '3s'
   */
  readonly timeout?: Duration;
  /** Ends the wait as soon as it is aborted; it then rejects with the reason of the signal. */
  readonly signal?: AbortSignal;
}

/** Says when a wait ends. */
export interface WaitLimits {
  /** In milliseconds. */
  readonly timeout: number;
  readonly signal: AbortSignal | undefined;
}

const LONGEST_TIMEOUT = 86_400_000;

/** Reads when a wait ends. Throws `SandboxError`. */
export function readLimits(call: string, options: WaitOptions): WaitLimits {
  checkArguments(`${call} options`, options, ['timeout', 'signal']);
  const timeout = parseDuration(options.timeout ?? '3s');
  if (timeout > LONGEST_TIMEOUT)
    throw new SandboxError('invalid_argument', "A wait lasts at most '1d' of real time.");
  return { timeout, signal: readSignal(options.signal) };
}

function readSignal(signal: unknown): AbortSignal | undefined {
  if (signal === undefined || signal instanceof AbortSignal) return signal;
  throw new SandboxError('invalid_argument', 'signal must be an AbortSignal.');
}
