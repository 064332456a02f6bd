import fs from 'node:fs';
import { resolve } from 'node:path';
import { getSystemErrorMessage } from 'node:util';
import { type JsonObject, parseRecord } from '@service/internal';
import { UsageError } from './errors.ts';
import type { Session } from './session.ts';

/** Reads a text file of this package, such as `package.json`. */
export function readPackageFile(path: string): string {
  return fs.readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
}

/** The file name that means standard input. */
export const STDIN = '-';

/**
 * Reads the raw bytes of a file, or of standard input for `-`.
 *
 * @throws {UsageError} when the file cannot be read, or the input breaks off.
 */
export async function readBytes(
  path: string,
  { cwd = '', stdin, output }: Session,
  option?: string,
): Promise<Uint8Array> {
  if (path !== STDIN)
    return fs.promises.readFile(resolve(cwd, path)).catch(({ errno = 0 }: NodeJS.ErrnoException) => {
      throw new UsageError(
        `Cannot read ${JSON.stringify(path)}: ${getSystemErrorMessage(errno)}.`,
        undefined,
        option,
      );
    });
  if (stdin.isTTY === true) output.note('Reading from the terminal. Press Ctrl+D to end the input.');
  const { buffer } = await import('node:stream/consumers');
  return buffer(stdin).catch(() => {
    throw new UsageError('Standard input could not be read to its end.', undefined, option);
  });
}

/**
 * Checks that at most one of the files is standard input, which can be read only once.
 *
 * @throws {UsageError} when two or more are.
 */
export function checkStdin(paths: readonly unknown[]): void {
  if (paths.filter((path) => path === STDIN).length > 1)
    throw new UsageError("Only one option or argument can be '-' (stdin).");
}

/**
 * Reads text from a file or standard input, in UTF-8, or in UTF-16 of either byte order with a byte order mark.
 *
 * @throws {UsageError} when the file cannot be read or is not text.
 */
export async function readText(path: string, session: Session, option?: string): Promise<string> {
  const bytes = await readBytes(path, session, option);
  const mark = Buffer.from(bytes.subarray(0, 2)).toString('hex');
  const encoding = mark === 'fffe' ? 'utf-16le' : mark === 'feff' ? 'utf-16be' : 'utf-8';
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    const source = path === STDIN ? 'stdin' : JSON.stringify(path);
    throw new UsageError(`${source} must be text in UTF-8 or UTF-16.`, undefined, option);
  }
}

/**
 * Reads profile settings from a file, or from standard input for `-`.
 *
 * @throws {UsageError} when the file cannot be read or is not a JSON object.
 */
export async function readProfileFile(path: string, session: Session, option: string): Promise<JsonObject> {
  const settings = parseRecord(await readText(path, session, option));
  if (settings !== undefined) return settings;
  throw new UsageError(
    `${JSON.stringify(path)} must be a JSON object of settings, such as {"numbers": "string"}.`,
    undefined,
    option,
  );
}

/**
 * Reads a key or secret from a file or standard input, without one line break at the end.
 *
 * @throws {UsageError} when the file cannot be read or is not text.
 */
export async function readSecret(path: string, session: Session, option: string): Promise<string> {
  return (await readText(path, session, option)).replace(/\r?\n$/, '');
}

/** The first bytes of a response body, and the error if the connection broke before them. */
export interface BodyStart {
  readonly bytes: Uint8Array;
  readonly error?: Error;
}

/** Reads at most `maxBytes` bytes of a response and cancels the rest. Never rejects. */
export async function readBodyStart({ body }: Response, maxBytes: number): Promise<BodyStart> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of body ?? []) {
      chunks.push(chunk);
      length += chunk.byteLength;
      if (length > maxBytes) break;
    }
  } catch (error) {
    return { bytes: Buffer.concat(chunks), error: error as Error };
  }
  return { bytes: Buffer.concat(chunks).subarray(0, maxBytes) };
}
