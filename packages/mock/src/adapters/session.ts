import { clearTimeout, setTimeout } from '@service/internal';
import type { ChangeRecorder } from '../state/account-state.ts';
import { type Snapshot, takeSnapshot } from '../state/snapshot.ts';
import { restoreBaseline } from '../control/replace-state.ts';
import type { Context } from '../control/operation.ts';
import { SandboxError } from '../state/sandbox-error.ts';

/** Creates a recorder that only calls a function after each change. */
export function createChangeListener(onChange: () => void): ChangeRecorder {
  return {
    failure: undefined,
    recordItem: onChange,
    recordSettings: onChange,
    recordState: onChange,
    confirm() {},
    confirmEventually() {},
  };
}

/** The time from a change to its save, in milliseconds. */
const DELAY = 200;

/**
 * Stores the state of a sandbox in `sessionStorage`, so that it survives a reload: restores the stored state,
 * then saves every change within moments and when the page closes. `name` distinguishes the mocks of a page, and `onError` is called for
 * the first failure after a success. Returns a function that saves the last changes and ends it.
 *
 * @throws {SandboxError} without `sessionStorage` and for a damaged state
 */
export function keepInSession(parts: Context, name: string, onError: (error: unknown) => void): () => void {
  const storage = findStorage();
  const key = `service-sandbox ${name}`;
  const { durability } = parts.state;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let hasFailed = false;
  const save = (): void => {
    clearTimeout(timer);
    timer = undefined;
    try {
      storage.setItem(key, JSON.stringify(takeSnapshot(parts.state)));
      hasFailed = false;
    } catch (error) {
      if (!hasFailed) onError(error);
      hasFailed = true;
    }
  };
  const saveLater = (): void => {
    timer ??= setTimeout(save, DELAY);
  };
  if (!restoreFrom(storage, key, parts)) saveLater();
  durability.recorder = createChangeListener(saveLater);
  // Timers do not run after `pagehide`, so the event handler itself saves.
  globalThis.addEventListener('pagehide', save);
  return () => {
    save();
    globalThis.removeEventListener('pagehide', save);
    durability.recorder = undefined;
  };
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
