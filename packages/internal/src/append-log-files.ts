import { constants, readSync, statSync } from 'node:fs';
import * as fs from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

/** The file system functions of an append log. Tests inject others that fail, stop or lose unsynced data. */
export interface LogFiles {
  /** Returns the absolute path without links. */
  readonly resolve: (path: string) => Promise<string>;
  /** Returns the state of a file, or undefined without one. */
  readonly inspect: (path: string) => FileState | undefined;
  /** Opens an existing file. */
  readonly open: (path: string) => Promise<LogFile>;
  /** Creates a file that only its owner can read. Rejects with `EEXIST` for any existing name, also a link. */
  readonly create: (path: string) => Promise<LogFile>;
  readonly rename: (from: string, to: string) => Promise<void>;
  /** Removes a file, if it exists. */
  readonly remove: (path: string) => Promise<void>;
  /** Makes the names in the folder of a file durable. */
  readonly syncFolderOf: (path: string) => Promise<void>;
}

/** An open file. */
export interface LogFile {
  /** The device and inode. They belong to no other file while this one is open. */
  readonly identity: string;
  readonly read: () => Promise<Buffer>;
  /** Reads a part. Synchronous, so that no compaction can move it meanwhile. */
  readonly readPart: (position: number, length: number) => Buffer;
  /** Writes all bytes at a position. */
  readonly write: (bytes: Uint8Array, position: number) => Promise<void>;
  /** Makes the content durable. */
  readonly sync: () => Promise<void>;
  /** Sets the time of the last change to now. */
  readonly touch: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** The state of a file by its name. */
export interface FileState {
  /** The device and inode. */
  readonly identity: string;
  readonly isFile: boolean;
  /** The number of its names. */
  readonly links: number;
  /** The time of the last change. */
  readonly modified: string;
}

/** The files of the system. */
export const nodeFiles: LogFiles = {
  resolve: (path) => fs.realpath(path).catch(() => resolve(path)),
  inspect(path) {
    const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
    if (stats === undefined) return undefined;
    const { nlink, mtimeNs } = stats;
    return {
      identity: toIdentity(stats),
      isFile: stats.isFile(),
      links: Number(nlink),
      modified: String(mtimeNs),
    };
  },
  open: async (path) => toLogFile(await fs.open(path, constants.O_RDWR)),
  create: async (path) => toLogFile(await fs.open(path, createFlags, 0o600)),
  rename: fs.rename,
  remove: (path) => fs.rm(path, { force: true }),
  async syncFolderOf(path) {
    // Windows cannot open a folder.
    if (process.platform === 'win32') return;
    await using folder = await fs.open(dirname(path), 'r');
    await folder.sync();
  },
};

// Windows has no O_NOFOLLOW.
const createFlags = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);

async function toLogFile(handle: fs.FileHandle): Promise<LogFile> {
  const identity = toIdentity(await handle.stat({ bigint: true }));
  return {
    identity,
    read: () => readWhole(handle),
    readPart: (position, length) => readPart(handle.fd, position, length),
    async write(bytes, position) {
      for (let done = 0; done < bytes.byteLength;)
        done += (await handle.write(bytes, done, bytes.byteLength - done, position + done)).bytesWritten;
    },
    sync: () => handle.datasync(),
    async touch() {
      const now = new Date();
      await handle.utimes(now, now);
    },
    close: () => handle.close(),
  };
}

/** Reads a file from its start. `readFile` of Node is limited to 2 GiB. */
async function readWhole(handle: fs.FileHandle): Promise<Buffer> {
  const { size } = await handle.stat();
  const bytes = Buffer.allocUnsafe(size);
  let done = 0;
  while (done < size) {
    const { bytesRead } = await handle.read(bytes, done, Math.min(size - done, 2 ** 30), done);
    if (bytesRead === 0) break;
    done += bytesRead;
  }
  return bytes.subarray(0, done);
}

function readPart(file: number, position: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  let done = 0;
  while (done < length) {
    const count = readSync(file, bytes, done, length - done, position + done);
    if (count === 0) break;
    done += count;
  }
  return bytes.subarray(0, done);
}

function toIdentity({ dev, ino }: { readonly dev: bigint; readonly ino: bigint }): string {
  return `${dev}:${ino}`;
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'access is denied',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'the file is too large for its file system',
  EIO: 'the disk reported an error',
  EISDIR: 'it is a directory',
  ENOENT: 'there is no such directory',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'a part of the path is not a directory',
  EPERM: 'access is denied',
  EROFS: 'the file system is read-only',
};

/** Returns whether an error comes from the file system. */
export function isFileError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'code' in error && /^E[A-Z]+$/.test(String(error.code));
}

/** Converts an error of a file to its reason, such as "the disk is full". */
export function explainFileError(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return reasons[code ?? ''] ?? code ?? message;
}
