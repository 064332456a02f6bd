import type { Sink } from './environment.ts';
import { escapeControls, maskKeys } from './masking.ts';

/** Writes results and notes; the one gate to both streams, where keys and control characters are struck out. */
export type Output = {
  /** Says whether results are JSON (`--json`). */
  readonly json: boolean;
  /** Writes one result to stdout: a line of JSON, or lines for a person. */
  readonly result: (document: unknown, lines: readonly string[]) => void;
  /** Writes one result that shows whole keys, those of a pretend world. */
  readonly reveal: (document: unknown, lines: readonly string[]) => void;
  /** Writes lines for a person to stderr. */
  readonly note: (...lines: readonly string[]) => void;
  /** Writes a text that was laid out elsewhere, such as help, to stdout. */
  readonly text: (text: string) => void;
};

/** Creates the output of a run. */
export function createOutput(streams: { stdout: Sink; stderr: Sink }, json: boolean): Output {
  const format = (document: unknown, lines: readonly string[]): string =>
    json ? `${JSON.stringify(document)}\n` : toText(lines);
  return {
    json,
    result: (document, lines) => void streams.stdout.write(maskKeys(format(document, lines))),
    reveal: (document, lines) => void streams.stdout.write(format(document, lines)),
    note: (...lines) => void streams.stderr.write(maskKeys(toText(lines))),
    text: (text) => void streams.stdout.write(maskKeys(text)),
  };
}

function toText(lines: readonly string[]): string {
  return lines.map((line) => `${escapeControls(line).trimEnd()}\n`).join('');
}
