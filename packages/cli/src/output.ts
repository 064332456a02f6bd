import { access, constants, stat, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { UsageError } from './errors.ts';
import type { Sink } from './session.ts';

/** The only access to both streams. Masks API keys and escapes control characters. */
export interface Output {
  /** Whether results are JSON (`--json`). */
  readonly json: boolean;
  /**
   * Writes one result to stdout: a line of JSON, or text lines.
   *
   * @throws {LostOutputError} when it cannot be written.
   */
  readonly result: (document: unknown, lines: readonly string[]) => Promise<void>;
  /**
   * Writes one result without masking, for the keys of a mock.
   *
   * @throws {LostOutputError} when it cannot be written.
   */
  readonly reveal: (document: unknown, lines: readonly string[]) => Promise<void>;
  /** Writes text lines to stderr. */
  readonly note: (...lines: readonly string[]) => void;
  /**
   * Writes formatted text, such as help, to stdout.
   *
   * @throws {LostOutputError} when it cannot be written.
   */
  readonly text: (text: string) => Promise<void>;
}

export function createOutput({ stdout, stderr }: { stdout: Sink; stderr: Sink }, json: boolean): Output {
  const format = (document: unknown, lines: readonly string[]): string =>
    json ? toText([JSON.stringify(document)]) : toText(lines);
  return {
    json,
    result: async (document, lines) => write(stdout, maskKeys(format(document, lines))),
    reveal: async (document, lines) => write(stdout, format(document, lines)),
    note: (...lines) => void stderr.write(maskKeys(toText(lines))),
    text: (text) => write(stdout, maskKeys(text)),
  };
}

async function write(stdout: Sink, text: string): Promise<void> {
  try {
    await stdout.write(text);
  } catch (error) {
    throw new LostOutputError(error);
  }
}

/** Joins lines. The escape sequences are valid JSON too: control characters occur only within strings there. */
function toText(lines: readonly string[]): string {
  return lines.map((line) => `${escapeControls(line).trimEnd()}\n`).join('');
}

/** Output that could not be written: the disk is full, or the reader has closed the stream. */
export class LostOutputError extends Error {
  override readonly name = 'LostOutputError' as const;
  /** Whether the reader has closed the pipe, as `head` does. Such an error needs no message. */
  readonly isHangUp: boolean;

  constructor(cause: unknown) {
    const { code = 'unknown error' } = cause as NodeJS.ErrnoException;
    super(`The output cannot be written (${code}).`, { cause });
    this.isHangUp = code === 'EPIPE';
  }
}

/**
 * Waits for output, and ignores a pipe that the reader has closed.
 *
 * @throws {LostOutputError} when the output is lost for another reason.
 */
export async function tolerateHangUp(written: Promise<void>): Promise<void> {
  try {
    await written;
  } catch (error) {
    if (!(error instanceof LostOutputError && error.isHangUp)) throw error;
  }
}

const wholeKey = /(service_(?:test|live)_)([^\s"'\\…]+)/g;

/** Masks API keys in a text as `service_test_…` and the last four characters, or none of a short key. */
export function maskKeys(text: string): string {
  return text.replaceAll(wholeKey, (_, prefix: string, rest: string) =>
    rest.length < 16 ? `${prefix}…` : `${prefix}…${rest.slice(-4)}`,
  );
}

// Control characters, line separators and characters that change the text direction.
const control = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/u;
const allControls = new RegExp(control, 'gu');

/** Escapes the characters that control a terminal, because text of a service must not. */
export function escapeControls(text: string): string {
  return text.replaceAll(
    allControls,
    (character) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
  );
}

/**
 * Quotes a text as one word of a POSIX shell, on one line of printable characters. In a text with control characters,
 * line breaks at its end are lost: `$(…)` strips them.
 */
export function quoteForShell(text: string): string {
  if (/^[\w./:@%+-]+$/.test(text)) return text;
  if (!control.test(text)) return `'${text.replaceAll("'", String.raw`'\''`)}'`;
  // `printf` reads a leading dash as an option, and an interactive shell expands an exclamation mark.
  const format = Array.from(text, toFormat).join('').replace(/^-/, toOctal).replaceAll('!', toOctal);
  return `"$(printf '${format}')"`;
}

/** Escapes a character for the format of `printf`, within single quotes. */
function toFormat(character: string): string {
  if (character === '%') return '%%';
  if (!/['\\]/.test(character) && !control.test(character)) return character;
  return toOctal(character);
}

function toOctal(character: string): string {
  return Array.from(Buffer.from(character), (byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');
}

/**
 * Checks the place of an output file, before the first request.
 *
 * @throws {UsageError} when it is a folder, or its folder is not writable.
 */
export async function checkFolder(option: string, path: string | undefined): Promise<void> {
  if (path === undefined) return;
  const isFolder = await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (isFolder) throw new UsageError(`${option}: ${JSON.stringify(path)} is a folder. Name a file.`);
  const folder = dirname(resolve(path));
  await access(folder, constants.W_OK).catch(() => {
    throw new UsageError(
      `${option}: the folder ${JSON.stringify(folder)} does not exist or is not writable.`,
    );
  });
}

/** @throws {UsageError} when the file cannot be written. */
export async function writeReport(option: string, path: string, text: string): Promise<void> {
  await writeFile(path, text).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(
      `${option}: ${JSON.stringify(path)} cannot be written: ${error.code ?? 'unknown error'}.`,
    );
  });
}
