import { clearTimeout, setTimeout } from '@service/internal';
import type { ChangeRecorder, Durability } from '../state/account-state.ts';
import { type Snapshot, takeSnapshot } from '../state/snapshot.ts';
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
  /** Its recorder notes changes of the state. */
  readonly durability: Durability;
  readonly take: () => Snapshot;
  readonly write: (text: string) => Promise<void> | void;
  /** Whether the state is the last saved one. */
  readonly isSaved: boolean;
  /** Called for the first failure of an automatic save after a success. */
  readonly onError: (error: unknown) => void;
}

/** The time from a change to its save, in milliseconds. */
const DELAY = 200;

/** Starts to save changes moments after they were made. */
export function createAutosave({ durability, take, write, isSaved, onError }: AutosaveOptions): Autosave {
  let hasChanged = false;
  let hasFailed = false;
  let running = Promise.resolve();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const save = async (): Promise<void> => {
    if (!hasChanged) return;
    hasChanged = false;
    try {
      await write(JSON.stringify(take()));
    } catch (error) {
      noteChange();
      throw error;
    }
  };
  // Writes run one at a time, so that an older snapshot never replaces a newer one.
  const flush = (): Promise<void> => {
    const saved = running.then(save);
    // A failed write must not block the next one.
    running = saved.catch(() => {});
    return saved;
  };
  const saveLater = async (): Promise<void> => {
    timer = undefined;
    try {
      await flush();
      hasFailed = false;
    } catch (error) {
      if (!hasFailed) onError(error);
      hasFailed = true;
    }
  };
  const noteChange = (): void => {
    hasChanged = true;
    if (timer !== undefined || durability.recorder !== recorder) return;
    timer = setTimeout(() => void saveLater(), DELAY);
    // An idle sandbox must not keep the process running; in browsers a timer is a number.
    if (typeof timer === 'object') timer.unref();
  };
  const recorder: ChangeRecorder = {
    failure: undefined,
    recordChange: noteChange,
    recordDelivery: noteChange,
    recordAccount: noteChange,
    recordSettings: noteChange,
    recordState: noteChange,
    confirm() {},
    confirmEventually() {},
  };
  durability.recorder = recorder;
  if (!isSaved) noteChange();
  const stop = (): void => {
    durability.recorder = undefined;
    clearTimeout(timer);
  };
  return { flush, stop };
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
  const isSaved = restoreFrom(storage, key, parts);
  const take = (): Snapshot => takeSnapshot(parts.state);
  const write = (text: string): void => storage.setItem(key, text);
  const { durability } = parts.state;
  const autosave = createAutosave({ durability, take, write, isSaved, onError });
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

/** Restores the stored state. Returns false without one. */
function restoreFrom(storage: Storage, key: string, parts: Context): boolean {
  const text = storage.getItem(key);
  if (text === null) return false;
  try {
    restoreBaseline(parts, JSON.parse(text) as Snapshot);
    return true;
  } catch (cause) {
    const message = `createMock: the sessionStorage item ${JSON.stringify(key)} cannot be restored. Remove it to start without it.`;
    throw new SandboxError('invalid_argument', message, { cause });
  }
}
