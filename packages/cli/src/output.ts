import type { Sink } from './environment.ts';
import { LostOutputError } from './lost-output-error.ts';
import { escapeControls, maskKeys } from './masking.ts';

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
