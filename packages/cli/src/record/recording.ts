import { open } from 'node:fs/promises';
import { type Exchange, formatExchange } from '@service/probe/node';
import { UsageError } from '../errors.ts';

/** A destination of exchanges. */
export interface RecordingFile {
  readonly append: (exchange: Exchange) => Promise<void>;
  readonly close: () => Promise<void>;
}

/**
 * Opens a recording to append to it. Only the user of this process can read a new file.
 *
 * @throws {UsageError} when it cannot be opened.
 */
export async function openRecording(path: string | undefined): Promise<RecordingFile> {
  if (path === undefined) return { append: async () => {}, close: async () => {} };
  const explain = (error: NodeJS.ErrnoException): never => {
    throw new UsageError(
      `--keep: ${JSON.stringify(path)} cannot be written: ${error.code ?? 'unknown error'}.`,
    );
  };
  const file = await open(path, 'a', 0o600).catch(explain);
  return {
    append: (exchange) => file.appendFile(formatExchange(exchange)).catch(explain),
    close: () => file.close(),
  };
}

/** The exchanges from which a profile is learned. */
export interface LearnedFrom {
  readonly exchanges: readonly Exchange[];
  /** Number of earlier exchanges that were dropped. */
  readonly dropped: number;
  readonly add: (exchange: Exchange) => void;
}

/** Maximum size of all kept exchanges, in characters. */
const MAX_SIZE = 64 * 1024 * 1024;

/** Creates a store of the last exchanges, in memory. */
export function keepExchanges(): LearnedFrom {
  const exchanges: Exchange[] = [];
  const sizes: number[] = [];
  let size = 0;
  let dropped = 0;
  return {
    exchanges,
    get dropped() {
      return dropped;
    },
    add: (exchange) => {
      const length = formatExchange(exchange).length;
      exchanges.push(exchange);
      sizes.push(length);
      size += length;
      while (size > MAX_SIZE) {
        exchanges.shift();
        size -= sizes.shift() ?? 0;
        dropped += 1;
      }
    },
  };
}
