import type { Sandbox } from '../control/sandbox.ts';
import { SandboxError } from '../state/sandbox-error.ts';
import type { Snapshot } from '../state/snapshot.ts';
import { createAutosave, type Autosave } from './autosave.ts';

/** Says what is kept in a browser's session, and who hears when that fails. */
export interface SessionOptions {
  /** Tells the worlds of one page's mocks apart. */
  readonly name: string;
  readonly onError: (error: unknown) => void;
}

/**
 * Keeps the world of a sandbox in `sessionStorage`, so that it survives a reload of the page: reads what is there, and from
 * then on writes every change within moments, the last ones as the page goes. Throws `SandboxError` where there is no
 * `sessionStorage`, or where what it holds is damaged.
 */
export function keepInSession(sandbox: Sandbox, { name, onError }: SessionOptions): Autosave {
  const storage = findStorage();
  const key = `service-sandbox ${name}`;
  const known = restoreFrom(storage, key, sandbox);
  const write = (text: string): void => storage.setItem(key, text);
  const autosave = createAutosave({
    take: sandbox.snapshot,
    clock: sandbox.clock.mode,
    write,
    known,
    onError,
  });
  // Timers stop with the page, so the last changes are written in the event itself.
  const saveOnPageHide = (): void => {
    try {
      write(JSON.stringify(sandbox.snapshot()));
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
    // A page without an origin of its own is refused access; it has none either.
  }
  throw new SandboxError(
    'invalid_argument',
    "createMock: persist 'sessionStorage' needs a page of a browser that may use it; in Node keep a file with keepData.",
  );
}

function restoreFrom(storage: Storage, key: string, sandbox: Sandbox): Snapshot | undefined {
  const text = storage.getItem(key);
  if (text === null) return undefined;
  try {
    const snapshot = JSON.parse(text) as Snapshot;
    sandbox.restore(snapshot);
    sandbox.baseline();
    return snapshot;
  } catch (cause) {
    const message = `createMock: what sessionStorage holds under ${JSON.stringify(key)} cannot be restored; remove it to start anew.`;
    throw new SandboxError('invalid_argument', message, { cause });
  }
}
