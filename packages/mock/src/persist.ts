import { createDeferred, type Deferred, isRecord, setTimeout } from '@service/internal';
import type { Context } from './control/operation.ts';
import { restoreSnapshot } from './control/replace-state.ts';
import { type Mock, PARTS, REPORT_DEFECT } from './core.ts';
import { applyStanding } from './seed/apply.ts';
import { SandboxError } from './state/sandbox-error.ts';
import { type Snapshot, takeSnapshot } from './state/snapshot.ts';

/** A store of the state of one sandbox. The text contains its API keys and signing secrets. */
export interface StateStore {
  /** Returns the last saved text, or null or undefined without one. Called once. */
  readonly load: () => string | null | undefined | Promise<string | null | undefined>;
  /** Stores the text. Called after each change, before the response to the request that caused it. */
  readonly save: (text: string) => unknown;
}

/**
 * Keeps the whole state of a mock in a store: restores the stored text, then saves the state after each change, one save at a
 * time. A failed save goes to `onDefect` of the mock. `reset` still returns to the state of the options. In Node, `keepData`
 * writes only what has changed.
 *
 * @throws {SandboxError} if the stored text is not the state of a sandbox, and for a mock whose state is stored already
 * @example
 * await persist(mock, {
 *   load: () => sessionStorage.getItem('sandbox'),
 *   save: (text) => sessionStorage.setItem('sandbox', text),
 * });
 */
export async function persist(mock: Mock, store: StateStore): Promise<void> {
  const { load, save: saveText } = isRecord(store) ? store : {};
  if (mock?.[PARTS] === undefined || typeof load !== 'function' || typeof saveText !== 'function')
    throw new SandboxError(
      'invalid_argument',
      'persist needs a mock from createMock, and an object with the functions load and save.',
    );
  const parts = mock[PARTS] as Context;
  const { changes } = parts.state;
  const text = await store.load();
  if (changes.recorder !== undefined)
    throw new SandboxError('invalid_state', 'The state of this mock is stored already.');
  if (text !== undefined && text !== null)
    try {
      restoreSnapshot(parts, JSON.parse(text) as Snapshot);
      applyStanding(parts);
    } catch (cause) {
      const message =
        'persist: the stored text is not the state of a sandbox. Remove it to start without it.';
      throw new SandboxError('invalid_argument', message, { cause });
    }
  /** Resolves after the save of the changes so far that has not begun yet. */
  let pending: Deferred<void> | undefined;
  let saving: Promise<void> | undefined;
  const write = async (): Promise<void> => {
    try {
      await store.save(JSON.stringify(takeSnapshot(parts.state)));
    } catch (error) {
      mock[REPORT_DEFECT](error);
    }
  };
  const save = async (): Promise<void> => {
    await saving;
    const saved = pending;
    // Changes from now on are part of the next save.
    pending = undefined;
    saving = write();
    await saving;
    saving = undefined;
    saved?.resolve();
  };
  const saveSoon = (): void => {
    if (pending !== undefined) return;
    pending = createDeferred();
    setTimeout(() => void save(), 0);
  };
  const confirm = (): Promise<void> | undefined => pending?.promise ?? saving;
  changes.recorder = {
    failure: undefined,
    recordItem: saveSoon,
    recordSettings: saveSoon,
    recordState: saveSoon,
    confirm,
    confirmEventually: confirm,
  };
  if (text === undefined || text === null) saveSoon();
}
