import type { Fetch } from '@service/sdk';

/** Takes text; a stream of the process, or a list in tests. */
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
  /** Ends the run early; the reason {@link HANG_UP} ends it in silence. */
  readonly signal: AbortSignal;
  /** Carries the requests. Default: the global `fetch`. */
  readonly fetch?: Fetch | undefined;
};

/** Is the reason of a run that ends because nobody reads its output any more (`| head`). */
export const HANG_UP = 'hang-up';
