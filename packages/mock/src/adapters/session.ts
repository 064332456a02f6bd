import { restoreBaseline } from '../control/replace-state.ts';
import type { Context } from '../control/operation.ts';
import { SandboxError } from '../state/sandbox-error.ts';
import { type Snapshot, takeSnapshot } from '../state/snapshot.ts';
import { createAutosave, type Autosave } from './autosave.ts';

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
