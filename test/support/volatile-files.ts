// A file system in memory for append logs. It can stop at each step, fail, and lose the data that was not synced.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { LogFile, LogFiles, LockSystem } from '@service/internal/append-log';

/** A file with its synced and its present content. */
interface Inode {
  readonly id: number;
  synced: Buffer;
  present: Buffer;
  modified: number;
}

/** An operation that changes a file or a folder. */
export interface Step {
  readonly operation: 'create' | 'write' | 'sync' | 'rename' | 'remove' | 'syncFolder';
  readonly path: string;
}

/** The processes and machine of a simulated file system. */
export interface VolatileOptions {
  /** Called before each step. A thrown error is the result of the step. */
  readonly onStep?: (step: Step, count: number) => void | Promise<void>;
}

export class VolatileFiles implements LogFiles {
  #names = new Map<string, Inode>();
  #syncedNames = new Map<string, Inode>();
  #nextId = 1;
  #isStopped = false;
  onStep: VolatileOptions['onStep'];
  readonly steps: Step[] = [];

  constructor({ onStep }: VolatileOptions = {}) {
    this.onStep = onStep;
  }

  /** Ends the process: its later steps have no effect. */
  stop(): void {
    this.#isStopped = true;
  }

  /** Returns the files after a kill of the process: with all written data. */
  kill(): VolatileFiles {
    const next = new VolatileFiles();
    for (const [path, { present }] of this.#names) next.put(path, present);
    return next;
  }

  /**
   * Returns the files after a power failure: with all synced data, and the part of the other data that `chance`
   * selects: none at 0, all at 1. Missing sectors of a write read as zeros.
   */
  cutPower(chance: () => number = () => 0): VolatileFiles {
    const next = new VolatileFiles();
    const names = chance() < 0.5 ? this.#syncedNames : this.#names;
    for (const [path, inode] of names) next.put(path, loseSectors(inode, chance));
    return next;
  }

  put(path: string, content: Uint8Array): void {
    const bytes = Buffer.from(content);
    const inode = { id: this.#nextId++, synced: bytes, present: bytes, modified: 0 };
    this.#names.set(path, inode);
    this.#syncedNames.set(path, inode);
  }

  content(path: string): Buffer | undefined {
    const inode = this.#names.get(path);
    return inode && Buffer.from(inode.present);
  }

  list(): string[] {
    return [...this.#names.keys()].toSorted();
  }

  resolve = async (path: string): Promise<string> => path;

  inspect: LogFiles['inspect'] = (path) => {
    const inode = this.#names.get(path);
    if (inode === undefined) return undefined;
    return { identity: String(inode.id), isFile: true, links: 1, modified: String(inode.modified) };
  };

  open = async (path: string): Promise<LogFile> => {
    const inode = this.#names.get(path);
    if (inode === undefined) throw createError('ENOENT');
    return this.#toFile(inode);
  };

  create = async (path: string): Promise<LogFile> => {
    await this.#step('create', path);
    if (this.#names.has(path)) throw createError('EEXIST');
    const inode = { id: this.#nextId++, synced: Buffer.alloc(0), present: Buffer.alloc(0), modified: 0 };
    this.#names.set(path, inode);
    return this.#toFile(inode);
  };

  rename = async (from: string, to: string): Promise<void> => {
    await this.#step('rename', to);
    const inode = this.#names.get(from);
    if (inode === undefined) throw createError('ENOENT');
    this.#names.delete(from);
    this.#names.set(to, inode);
  };

  remove = async (path: string): Promise<void> => {
    if (!this.#names.has(path)) return;
    await this.#step('remove', path);
    this.#names.delete(path);
  };

  syncFolderOf = async (path: string): Promise<void> => {
    await this.#step('syncFolder', path);
    this.#syncedNames = new Map(this.#names);
  };

  #toFile(inode: Inode): LogFile {
    return {
      identity: String(inode.id),
      read: async () => Buffer.from(inode.present),
      readPart: (position, length) => Buffer.from(inode.present.subarray(position, position + length)),
      write: async (bytes, position) => {
        // A process can end in the middle of a write.
        this.#overwrite(inode, bytes.subarray(0, bytes.length >> 1), position);
        await this.#step('write', this.#pathOf(inode));
        this.#overwrite(inode, bytes, position);
      },
      sync: async () => {
        // Data that is written during the sync is not part of it.
        const { present } = inode;
        await this.#step('sync', this.#pathOf(inode));
        inode.synced = present;
      },
      touch: async () => {
        if (!this.#isStopped) inode.modified += 1;
      },
      close: async () => {},
    };
  }

  #pathOf(inode: Inode): string {
    return [...this.#names].find(([, named]) => named === inode)?.[0] ?? '';
  }

  #overwrite(inode: Inode, bytes: Uint8Array, position: number): void {
    this.#throwIfStopped();
    const grown = Buffer.alloc(Math.max(inode.present.length, position + bytes.length));
    inode.present.copy(grown);
    grown.set(bytes, position);
    inode.present = grown;
    inode.modified += 1;
  }

  async #step(operation: Step['operation'], path: string): Promise<void> {
    this.#throwIfStopped();
    const step = { operation, path };
    this.steps.push(step);
    await this.onStep?.(step, this.steps.length);
    await nextTurn();
    this.#throwIfStopped();
  }

  #throwIfStopped(): void {
    if (this.#isStopped) throw createError('STOPPED');
  }
}

const SECTOR = 512;

/** Returns the synced content with some sectors of the unsynced writes. */
function loseSectors({ synced, present }: Inode, chance: () => number): Buffer {
  const kept = Math.floor(chance() * (present.length - synced.length + 1));
  const bytes = Buffer.alloc(synced.length + kept);
  synced.copy(bytes);
  for (let start = synced.length; start < bytes.length;) {
    const end = Math.min(bytes.length, (Math.floor(start / SECTOR) + 1) * SECTOR);
    if (chance() < 0.7) present.copy(bytes, start, start, end);
    start = end;
  }
  return bytes;
}

/** Creates an error of a file operation. */
export function createError(code: string): NodeJS.ErrnoException {
  return Object.assign(new Error(code), { code });
}

/** A machine in which a process of `boot` owns the locks and all processes of other starts have ended. */
export function createSystem(boot: string, others: Partial<LockSystem> = {}): LockSystem {
  return {
    identifyOwner: async () => ({ host: 'host', boot, pid: 1 }),
    isRunning: async (owner) => owner.boot === boot,
    isMountPoint: async () => false,
    wait: async () => {},
    repeat: () => () => {},
    ...others,
  };
}
