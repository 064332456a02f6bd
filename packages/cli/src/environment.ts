import type { Fetch } from '@service/sdk';
import type { Clock } from './clock.ts';

/** A destination of output: a stream of the process, or a list in tests. Throws or rejects if the text is lost. */
export interface Sink {
  readonly write: (text: string) => unknown;
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
   * The function that sends requests.
   *
   * @default globalThis.fetch
   */
  readonly fetch?: Fetch | undefined;
  /**
   * The time and timers of the run.
   *
   * @default systemClock
   */
  readonly clock?: Clock | undefined;
}
