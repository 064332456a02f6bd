import { clearTimeout, setTimeout } from '@service/internal';
import type { ClockMode } from '../state/clock.ts';
import { computeDurableChecksum, type Snapshot, takeSnapshot } from '../state/snapshot.ts';
import { restoreBaseline } from '../control/replace-state.ts';
import type { Context } from '../control/operation.ts';
import { SandboxError } from '../state/sandbox-error.ts';

/** Saves snapshots after changes. */
export interface Autosave {
  /** Saves the state now, if it has changed. Rejects if the write fails. */
  readonly flush: () => Promise<void>;
  /** Stops saving automatically. */
  readonly stop: () => void;
}

/** The source and destination of the snapshots. */
export interface AutosaveOptions {
  readonly take: () => Snapshot;
  /** With a running clock, the time alone is not a change. */
  readonly clock: ClockMode;
  readonly write: (text: string) => Promise<void> | void;
  /** The last saved snapshot. */
  readonly known: Snapshot | undefined;
  /** Called for the first failure of an automatic save after a success. */
  readonly onError: (error: unknown) => void;
}

/** Minimum delay between two checks for changes, in milliseconds of real time. */
const MIN_DELAY = 200;
/**
 * Minimum delay between two checks as a multiple of the duration of the last one. It limits autosave to 5 %
 * of the time.
 */
const DUTY_CYCLE = 20;

/** Starts to save changes several times per second. */
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
    // An idle sandbox must not keep the process running; in browsers a timer is a number.
    if (typeof timer === 'object') timer.unref();
  };
  const stop = (): void => {
    isStopped = true;
    clearTimeout(timer);
  };
  scheduleNext(MIN_DELAY);
  return { flush, stop };
}

/**
 * Creates a function that saves the state if it has changed. Writes run one at a time, so that an older
 * snapshot never replaces a newer one.
 */
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
    // A failed write must not block the next one.
    running = saved.catch(() => {});
    return saved;
  };
}

/** The key of the stored state and the listener for errors. */
export interface SessionOptions {
  /** The name that distinguishes the mocks of a page. */
  readonly name: string;
  readonly onError: (error: unknown) => void;
}

/**
 * Stores the state of a sandbox in `sessionStorage`, so that it survives a reload: restores the stored state,
 * then saves every change within moments and when the page closes.
 *
 * @throws {SandboxError} without `sessionStorage` and for a damaged state
 */
export function keepInSession(parts: Context, { name, onError }: SessionOptions): Autosave {
  const storage = findStorage();
  const key = `service-sandbox ${name}`;
  const known = restoreFrom(storage, key, parts);
  const take = (): Snapshot => takeSnapshot(parts.state);
  const write = (text: string): void => storage.setItem(key, text);
  const autosave = createAutosave({
    take,
    clock: parts.state.clock.mode,
    write,
    known,
    onError,
  });
  // Timers do not run after `pagehide`, so the event handler itself saves.
  const saveOnPageHide = (): void => {
    try {
      write(JSON.stringify(take()));
    } catch (error) {
      onError(error);
    }
  };
  globalThis.addEventListener('pagehide', saveOnPageHide);
  const stop = (): void => {
    globalThis.removeEventListener('pagehide', saveOnPageHide);
    autosave.stop();
  };
  return { flush: autosave.flush, stop };
}

function findStorage(): Storage {
  try {
    const { sessionStorage } = globalThis;
    if (sessionStorage !== undefined && typeof globalThis.addEventListener === 'function')
      return sessionStorage;
  } catch {
    // Access throws on a page with an opaque origin.
  }
  throw new SandboxError(
    'invalid_argument',
    "createMock: persist: 'sessionStorage' needs a browser page with access to sessionStorage. In Node, use keepData.",
  );
}

function restoreFrom(storage: Storage, key: string, parts: Context): Snapshot | undefined {
  const text = storage.getItem(key);
  if (text === null) return undefined;
  try {
    const snapshot = JSON.parse(text) as Snapshot;
    restoreBaseline(parts, snapshot);
    return snapshot;
  } catch (cause) {
    const message = `createMock: the sessionStorage item ${JSON.stringify(key)} cannot be restored. Remove it to start without it.`;
    throw new SandboxError('invalid_argument', message, { cause });
  }
}
