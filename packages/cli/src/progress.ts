import type { RunClock } from '@service/internal';
import type { Sink } from './session.ts';
import { type Terminal, truncate } from './terminal.ts';

/** The work that a command waits for. */
export interface Progress {
  readonly text: string;
  /** The parts of the work in progress, at the end of the line. */
  readonly details?: readonly string[];
  /** The finished and the total number of steps, for an estimate of the remaining time. */
  readonly done?: number;
  readonly total?: number;
  /** The maximum time, in milliseconds, of work without steps. */
  readonly limit?: number;
}

/** The last line of a terminal, which shows the progress of a command. Writes nothing to a pipe or a file. */
export interface ProgressLine {
  readonly show: <T>(progress: () => Progress, work: () => Promise<T>) => Promise<T>;
  /** Clears the line before other output. */
  readonly clear: () => void;
}

/** The time between two updates, in milliseconds. A shorter work shows nothing. */
const INTERVAL = 250;
const frames = Array.from('⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏');
const CLEAR = '\r\u001b[2K';

/** Creates the progress line of a stream. */
export function createProgressLine(stream: Sink, { width, isTTY }: Terminal, clock: RunClock): ProgressLine {
  let isShown = false;
  const clear = (): void => {
    if (isShown) stream.write(CLEAR);
    isShown = false;
  };
  const draw = async (progress: () => Progress, signal: AbortSignal): Promise<void> => {
    const start = clock.now();
    for (let count = 0; ; count += 1) {
      await clock.sleep(INTERVAL, signal);
      if (signal.aborted) return;
      const line = formatProgress(progress(), clock.now() - start);
      stream.write(`${CLEAR}${truncate(`${frames[count % frames.length]} ${line}`, (width ?? 0) - 1)}`);
      isShown = true;
    }
  };
  return {
    clear,
    async show(progress, work) {
      if (!isTTY) return work();
      const done = new AbortController();
      const drawn = draw(progress, done.signal);
      try {
        return await work();
      } finally {
        done.abort();
        await drawn;
        clear();
      }
    },
  };
}

/** Formats progress, with the elapsed and the estimated remaining time, and the details. */
function formatProgress(
  { text, details = [], done = 0, total = 0, limit }: Progress,
  elapsed: number,
): string {
  const steps = total > 0 ? `, ${done} of ${total}` : '';
  const rest = done > 0 && total > done ? `, about ${toSeconds((elapsed / done) * (total - done))} left` : '';
  const most = limit === undefined ? '' : ` of ${toSeconds(limit)}`;
  const time = `(${toSeconds(elapsed)}${most}${rest})`;
  return [`${text}${steps} ${time}`, ...details].join('; ');
}

function toSeconds(milliseconds: number): string {
  return `${Math.ceil(milliseconds / 1_000)} s`;
}
