import type { Fetch } from '@service/sdk';
import type { Clock } from './clock.ts';

/** Takes text, a stream of the process or a list in tests; throws, or rejects, where the text is lost. */
export type Sink = { readonly write: (text: string) => unknown };

/** Gives bytes; `isTTY` is true where a person types them. */
export type Source = AsyncIterable<Uint8Array | string> & { readonly isTTY?: boolean | undefined };

/** Holds all that a run can see of the world, so that a test can be the world. */
export type Environment = {
  /** Holds the arguments, without the interpreter and the script. */
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: Source;
  readonly stdout: Sink;
  readonly stderr: Sink;
  /** Ends the run early. */
  readonly signal: AbortSignal;
  /** Carries the requests. Default: the global `fetch`. */
  readonly fetch?: Fetch | undefined;
  /** Tells the time and lets it pass. Default: that of the machine. */
  readonly clock?: Clock | undefined;
};
