import { readFile } from 'node:fs/promises';
import type { Source } from './environment.ts';
import type { Session } from './session.ts';
import { UsageError } from './usage-error.ts';

/** Stands for standard input where a file is asked for. */
export const STDIN = '-';

/** Reads the bytes of a file, or of standard input for `-`, exactly as they are. Throws UsageError. */
export async function readBytes(path: string, { environment, output }: Session): Promise<Uint8Array> {
  if (path !== STDIN) return readFile(path).catch((error: unknown) => Promise.reject(toUsage(path, error)));
  if (environment.stdin.isTTY === true) output.note('Reading from the terminal; Ctrl+D ends the input.');
  return readAll(environment.stdin).catch(() => Promise.reject(new UsageError('The input broke off.')));
}

/** Checks that at most one of some files is standard input, which can be read but once. Throws UsageError. */
export function checkStdin(paths: readonly unknown[]): void {
  if (paths.filter((path) => path === STDIN).length > 1)
    throw new UsageError('Only one thing can come from stdin.');
}

async function readAll(source: Source): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of source) chunks.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
  return Buffer.concat(chunks);
}

/** Reads text from a file or standard input: UTF-8, or as Windows shells write it, with a byte order mark or in UTF-16. Throws UsageError. */
export async function readText(path: string, session: Session): Promise<string> {
  return decode(await readBytes(path, session), false);
}

/** Reads a key or secret from a file or standard input; one line break at the end does not belong to it. Throws UsageError. */
export async function readSecret(path: string, session: Session): Promise<string> {
  const bytes = await readBytes(path, session);
  try {
    return decode(bytes, true).replace(/\r?\n$/, '');
  } catch {
    throw new UsageError(`${path === STDIN ? 'stdin' : JSON.stringify(path)} holds bytes that are no text.`);
  }
}

function decode(bytes: Uint8Array, fatal: boolean): string {
  const isWide = bytes[0] === 0xff && bytes[1] === 0xfe;
  return new TextDecoder(isWide ? 'utf-16le' : 'utf-8', { fatal }).decode(bytes);
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'access is denied',
  EISDIR: 'it is a directory',
};

/** Says in words what a system gave as the code of its refusal; codes that are rare stay as they are. */
export function reasonOf(code: string): string {
  return reasons[code] ?? code;
}

function toUsage(path: string, error: unknown): UsageError {
  const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
  return new UsageError(`Cannot read ${JSON.stringify(path)}: ${reasonOf(code)}.`);
}
