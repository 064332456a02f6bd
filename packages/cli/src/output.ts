import type { Sink } from './environment.ts';
import { LostOutputError } from './lost-output-error.ts';
import { escapeControls, maskKeys } from './masking.ts';

/** Writes results and notes; the one gate to both streams, where keys and control characters are struck out. */
export type Output = {
  /** Says whether results are JSON (`--json`). */
  readonly json: boolean;
  /** Writes one result to stdout: a line of JSON, or lines for a person. Throws LostOutputError. */
  readonly result: (document: unknown, lines: readonly string[]) => Promise<void>;
  /** Writes one result that shows whole keys, those of a pretend world. Throws LostOutputError. */
  readonly reveal: (document: unknown, lines: readonly string[]) => Promise<void>;
  /** Writes lines for a person to stderr. */
  readonly note: (...lines: readonly string[]) => void;
  /** Writes a text that was laid out elsewhere, such as help, to stdout. Throws LostOutputError. */
  readonly text: (text: string) => Promise<void>;
};

/** Creates the output of a run. */
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

/** Ends each line; what is written out in it is as good in JSON, where it can only stand within a string. */
function toText(lines: readonly string[]): string {
  return lines.map((line) => `${escapeControls(line).trimEnd()}\n`).join('');
}
