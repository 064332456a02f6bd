import type { ClockMode } from '../state/clock.ts';
import { type Snapshot, computeDurableChecksum } from '../state/snapshot.ts';

/** Writes snapshots down whenever something has changed since the last one. */
export interface Autosave {
  /** Writes down what has changed, now; fulfilled when it is written. Rejects as the writing does. */
  readonly flush: () => Promise<void>;
  /** Writes no more by itself. */
  readonly stop: () => void;
}

/** Sets up a keeper. */
export interface AutosaveOptions {
  readonly take: () => Snapshot;
  /** How time passes; that it passes by itself is no change. */
  readonly clock: ClockMode;
  readonly write: (text: string) => Promise<void> | void;
  /** The last snapshot that is written down already. */
  readonly known: Snapshot | undefined;
  /** Takes the error of a write that nobody asked for; told once for each run of failures. */
  readonly onError: (error: unknown) => void;
}

// Kept from load time, so that fake timers installed later cannot stop a keeper.
const { setTimeout, clearTimeout } = globalThis;

/** How long a keeper rests between two looks, in milliseconds of real time. */
const MIN_DELAY = 200;
/** How many times as long as a look took it rests at least, so that it takes a small part of the time whatever the size. */
const DUTY_CYCLE = 20;

/** Creates a keeper that looks for changes several times a second. */
export function createAutosave(options: AutosaveOptions): Autosave {
  const flush = createFlush(options);
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isStopped = false;
  let hasFailed = false;
  const saveChanges = async (): Promise<void> => {
    const startedAt = performance.now();
    try {
      await flush();
      hasFailed = false;
    } catch (error) {
      if (!hasFailed) options.onError(error);
      hasFailed = true;
    }
    scheduleNext(Math.max(MIN_DELAY, (performance.now() - startedAt) * DUTY_CYCLE));
  };
  const scheduleNext = (time: number): void => {
    if (isStopped) return;
    timer = setTimeout(() => void saveChanges(), time);
    // A sandbox alone keeps no process alive; in browsers a timer is a number.
    if (typeof timer === 'object') timer.unref();
  };
  const stop = (): void => {
    isStopped = true;
    clearTimeout(timer);
  };
  scheduleNext(MIN_DELAY);
  return { flush, stop };
}

/** Creates the writing down of what has changed: one after another, so that an older snapshot never follows a newer one. */
function createFlush({ take, write, known, clock }: AutosaveOptions): () => Promise<void> {
  let written = known && computeDurableChecksum(known, clock);
  let running = Promise.resolve();
  const save = async (): Promise<void> => {
    const snapshot = take();
    const sum = computeDurableChecksum(snapshot, clock);
    if (sum === written) return;
    await write(JSON.stringify(snapshot));
    written = sum;
  };
  return () => {
    const saved = running.then(save);
    // One that failed must not keep the next from trying.
    running = saved.catch(() => {});
    return saved;
  };
}
