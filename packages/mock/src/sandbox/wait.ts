import { type Duration, parseDuration } from '../world/duration.ts';
import { SandboxError } from '../world/sandbox-error.ts';
import { checkArguments } from './arguments.ts';

/** Says how long to wait. */
export interface WaitOptions {
  /**
   * How long to wait, in real time; less than test runners wait, so that the test fails with what was seen.
   *
   * @default '3s'
   */
  readonly timeout?: Duration;
}

const LONGEST_TIMEOUT = 86_400_000;

/** Reads how long to wait, in milliseconds. Throws `SandboxError`. */
export function readTimeout(call: string, options: WaitOptions): number {
  checkArguments(`${call} options`, options, ['timeout']);
  const timeout = parseDuration(options.timeout ?? '3s');
  if (timeout <= LONGEST_TIMEOUT) return timeout;
  throw new SandboxError('invalid_argument', "A wait lasts at most '1d' of real time.");
}
