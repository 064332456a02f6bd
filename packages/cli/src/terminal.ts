import { createRequire } from 'node:module';
import { styleText } from 'node:util';
import type { Environment, Sink } from './session.ts';

/** The meaning of a part of a line. A terminal shows it as a color. */
export type Style = 'good' | 'bad' | 'waiting' | 'weak' | 'strong';

/** A part of a line: plain, or with a style. */
export type Part = string | { readonly text: string; readonly style: Style };

/** A line of text, or its parts. */
export type Line = string | readonly Part[];

/** The properties of an output stream. */
export interface Terminal {
  /** False for a pipe or a file. */
  readonly isTTY: boolean;
  /** The number of columns. Undefined for a pipe or a file, which have no limit. */
  readonly width: number | undefined;
  readonly hasColor: boolean;
  /** Returns the time to which relative times refer, in milliseconds since 1970. */
  readonly now: () => number;
}

const loadModule = createRequire(import.meta.url);

/** The width of a terminal that does not report its own, or reports 0. */
const DEFAULT_WIDTH = 80;

/** Returns the properties of a stream. `NO_COLOR` and `--no-color` turn color off. */
export function createTerminal(
  { isTTY = false, columns }: Sink,
  { env }: Pick<Environment, 'env'>,
  { color, now }: { readonly color: boolean; readonly now: () => number },
): Terminal {
  const hasColor = isTTY && color && !env.NO_COLOR && env.TERM !== 'dumb';
  return { isTTY, width: isTTY ? columns || DEFAULT_WIDTH : undefined, hasColor, now };
}

const formats = { good: 'green', bad: 'red', waiting: 'yellow', weak: 'dim', strong: 'bold' } as const;

/** Adds the escape sequences of a style to a text. */
export function paint(text: string, style: Style): string {
  return styleText(formats[style], text, { validateStream: false });
}

/** Returns the text of a part without its style. */
export function toPlain(part: Part): string {
  return typeof part === 'string' ? part : part.text;
}

/** Returns the number of columns that a text takes: 2 for wide characters, 0 for combining ones. */
export function measure(text: string): number {
  // ASCII, the symbols below and the ellipsis take one column each.
  if (/^[\x20-\x7e✓✗•…]*$/.test(text)) return text.length;
  // Loaded late: it takes as long as a third of the start of the program.
  const { default: stringWidth } = loadModule('string-width') as typeof import('string-width');
  return stringWidth(text);
}

/** Truncates a text to a number of columns, without splitting a character. An ellipsis replaces the rest. */
export function truncate(text: string, width: number): string {
  if (measure(text) <= width) return text;
  let kept = '';
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (measure(kept + segment) > width - 1) break;
    kept += segment;
  }
  return width > 0 ? `${kept.trimEnd()}…` : '';
}

/** Breaks a text between words into lines of at most `width` columns. A longer word is a separate line. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line: string | undefined;
  for (const word of text.split(' ')) {
    const longer: string = line === undefined ? word : `${line} ${word}`;
    if (line === undefined || measure(longer) <= width) line = longer;
    else {
      lines.push(line);
      line = word;
    }
  }
  return [...lines, line ?? ''];
}

const symbols: Readonly<Partial<Record<Style, string>>> = { good: '✓', bad: '✗', waiting: '•' };

/** The statuses by their style. */
const statuses: Readonly<Record<'good' | 'bad' | 'waiting', string>> = {
  good: 'completed acknowledged ok found created',
  bad: 'failed rejected refused exhausted stopped',
  waiting: 'pending processing queued retrying planned sending warning skipped other unknown',
};

/** Returns a status with its style, and on a terminal with a symbol. */
export function toStatus(status: string, { isTTY }: Pick<Terminal, 'isTTY'>, shown: string = status): Part {
  const style = (['good', 'bad', 'waiting'] as const).find((each) =>
    statuses[each].split(' ').includes(status),
  );
  if (style === undefined) return shown;
  return { text: isTTY ? `${symbols[style]} ${shown}` : shown, style };
}
