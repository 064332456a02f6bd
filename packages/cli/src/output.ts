import fs from 'node:fs';
import { dirname, resolve } from 'node:path';
import { runClock, type RunClock } from '@service/internal';
import { CliError, UsageError } from './errors.ts';
import type { Environment, GlobalOptions, Sink } from './session.ts';
import {
  createTerminal,
  escapeControls,
  type Line,
  paint,
  type Part,
  type Style,
  type Terminal,
  wrap,
} from './terminal.ts';

/** The only access to both streams. Masks API keys and escapes control characters. */
export interface Output {
  /** Whether results are JSON (`--json`). */
  readonly json: boolean;
  /** The properties of stdout, for the format of results. */
  readonly terminal: Terminal;
  /**
   * Writes one result to stdout: a line of JSON, or text lines.
   *
   * @throws {LostOutputError} when it cannot be written.
   */
  readonly result: (document: unknown, lines: readonly Line[]) => Promise<void>;
  /**
   * Writes one result without masking, for the keys of a mock.
   *
   * @throws {LostOutputError} when it cannot be written.
   */
  readonly reveal: (document: unknown, lines: readonly Line[]) => Promise<void>;
  /** Writes one entry of a log to stderr: a line of JSON, or a text line. */
  readonly log: (document: object, line: Line) => void;
  /** Writes lines to stderr. On a terminal it breaks long texts between words, except indented ones. */
  readonly note: (...lines: readonly Line[]) => void;
  /**
   * Writes formatted text, such as help, to stdout.
   *
   * @throws {LostOutputError} when it cannot be written.
   */
  readonly text: (text: string) => Promise<void>;
  /** Runs work, and shows its progress in the last line of a terminal on stderr. */
  readonly wait: <T>(progress: () => Progress, work: () => Promise<T>) => Promise<T>;
}

/**
 * Creates the output of a run.
 *
 * @param json Whether results are JSON (`--json`).
 * @param color False with `--no-color`.
 */
export function createOutput(environment: Environment, json: boolean, color: boolean): Output {
  const { stdout, stderr, clock = runClock } = environment;
  const [terminal, notes] = [stdout, stderr].map((sink) => createTerminal(sink, environment, color)) as [
    Terminal,
    Terminal,
  ];
  const line = createProgressLine(stderr, notes, clock);
  const write = async (text: string): Promise<void> => {
    line.clear();
    try {
      await stdout.write(text);
    } catch (error) {
      throw new LostOutputError(error);
    }
  };
  const format = (document: unknown, lines: readonly Line[], mask: (text: string) => string): string =>
    json ? toText([JSON.stringify(document)], mask) : toText(lines, mask, terminal);
  return {
    json,
    terminal,
    result: async (document, lines) => write(format(document, lines, maskKeys)),
    reveal: async (document, lines) => write(format(document, lines, (text) => text)),
    log(document, entry) {
      line.clear();
      stderr.write(toText([json ? JSON.stringify(document) : entry], maskKeys, notes));
    },
    note(...lines) {
      line.clear();
      const wrapped = lines.flatMap((each) =>
        typeof each === 'string' ? wrapProse([escapeControls(each)], notes).map(toNote) : [each],
      );
      stderr.write(toText(wrapped, maskKeys, notes));
    },
    text: (text) => write(maskKeys(wrapProse(text.split('\n'), terminal).join('\n'))),
    wait: (progress, work) => line.show(progress, work),
  };
}

/** Breaks lines between words to fit a terminal. Indented lines can be commands to copy, so they stay whole. */
export function wrapProse(lines: readonly string[], { width = Infinity }: Terminal): string[] {
  return lines.flatMap((line) => (line.startsWith(' ') ? [line] : wrap(line, width)));
}

const noteStyles: Readonly<Record<string, Style>> = {
  error: 'bad',
  'internal error': 'bad',
  warning: 'waiting',
  explain: 'weak',
  usage: 'weak',
};

/** Adds a style to the word before the colon, such as `error`. */
function toNote(text: string): Line {
  const [start = ''] = text.split(':', 1);
  const style = noteStyles[start];
  return style === undefined ? text : [{ text: `${start}:`, style }, text.slice(start.length + 1)];
}

/** Joins lines. The escape sequences are valid JSON too: control characters occur only within strings there. */
function toText(lines: readonly Line[], mask: (text: string) => string, terminal?: Terminal): string {
  // Masked before it is styled, because a style would change the end of a key.
  const format = (part: Part): string => {
    const isPlain = typeof part === 'string';
    const text = mask(escapeControls(isPlain ? part : part.text));
    return isPlain || terminal?.hasColor !== true ? text : paint(text, part.style);
  };
  return lines.map((line) => `${[line].flat().map(format).join('').trimEnd()}\n`).join('');
}

/** Output that could not be written: the disk is full, or the reader has closed the stream. */
export class LostOutputError extends CliError {
  /** Whether the reader has closed the pipe, as `head` does. Such an error needs no message. */
  readonly isHangUp: boolean;

  constructor(cause: unknown) {
    const { code = 'unknown error' } = cause as NodeJS.ErrnoException;
    super('LostOutputError', `The output cannot be written (${code}).`, { code: 'lost_output' });
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

/** Returns an output whose results ignore a pipe that the reader has closed. */
export function ignoreHangUps(output: Output): Output {
  return { ...output, result: (document, lines) => tolerateHangUp(output.result(document, lines)) };
}

const wholeKey = /(service_(?:test|live)_)([^\s"'\\…]+)/g;

/** Masks API keys in a text as `service_test_…` and the last four characters, or none of a short key. */
export function maskKeys(text: string): string {
  return text.replaceAll(wholeKey, (_, prefix: string, rest: string) =>
    rest.length < 16 ? `${prefix}…` : `${prefix}…${rest.slice(-4)}`,
  );
}

/** Quotes a text as one word of a POSIX shell. The SDK rejects payments with control characters. */
export function quoteForShell(text: string): string {
  return /^[\w./:@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/**
 * Formats a command of this program that works when it is pasted into a shell, with the options of every command that
 * were given.
 */
export function formatCommand(
  command: string,
  options: Readonly<Record<string, string | boolean | undefined>>,
  { baseUrl, keyFile, allowInsecureHttp }: GlobalOptions = {},
): string {
  const all = {
    ...options,
    'base-url': baseUrl,
    'key-file': keyFile,
    'allow-insecure-http': allowInsecureHttp,
  };
  // As one word, because a value can start with a dash.
  const words = Object.entries(all).flatMap(([name, value]) => {
    if (value === undefined) return [];
    return value === true ? [`--${name}`] : [`--${name}=${quoteForShell(value)}`];
  });
  return ['service-cli', command, ...words].join(' ');
}

/**
 * Checks the place of an output file, before the first request.
 *
 * @throws {UsageError} when it is a folder, or its folder is not writable.
 */
export async function checkFolder(option: string, path: string | undefined): Promise<void> {
  if (path === undefined) return;
  const found = await fs.promises.stat(resolve(path)).catch(() => undefined);
  if (found?.isDirectory())
    throw new UsageError(`${option}: ${JSON.stringify(path)} is a folder. Name a file.`);
  const folder = dirname(resolve(path));
  await fs.promises.access(folder, fs.constants.W_OK).catch(() => {
    throw new UsageError(
      `${option}: the folder ${JSON.stringify(folder)} does not exist or is not writable.`,
    );
  });
}

/** @throws {UsageError} when the file cannot be written. */
export async function writeReport(option: string, path: string, text: string): Promise<void> {
  await fs.promises.writeFile(path, text).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(
      `${option}: ${JSON.stringify(path)} cannot be written: ${error.code ?? 'unknown error'}.`,
    );
  });
}

/** The work that a command waits for. */
export interface Progress {
  readonly text: string;
  /** The parts of the work in progress, at the end of the line. */
  readonly details?: readonly string[];
  /** The finished and the total number of steps, for an estimate of the remaining time. */
  readonly done?: number;
  readonly total?: number;
  /** The maximum time, in milliseconds, of work without steps. */
  readonly limit?: number;
}

/** The time between two updates, in milliseconds. A shorter work shows nothing. */
const INTERVAL = 250;
const frames = Array.from('⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏');
const CLEAR = '\r\u001b[2K';

/** Creates the last line of a terminal, which shows the progress of a command. Writes nothing to a pipe or a file. */
function createProgressLine(stream: Sink, { width, isTTY }: Terminal, clock: RunClock) {
  let isShown = false;
  const clear = (): void => {
    if (isShown) stream.write(CLEAR);
    isShown = false;
  };
  const draw = async (progress: () => Progress, signal: AbortSignal): Promise<void> => {
    const start = clock.now();
    for (let count = 0; ; count += 1) {
      await clock.sleep(INTERVAL, signal);
      if (signal.aborted) return;
      const line = formatProgress(progress(), clock.now() - start);
      stream.write(CLEAR + `${frames[count % frames.length]} ${line}`.slice(0, (width ?? 0) - 1));
      isShown = true;
    }
  };
  return {
    /** Clears the line before other output. */
    clear,
    async show<T>(progress: () => Progress, work: () => Promise<T>): Promise<T> {
      if (!isTTY) return work();
      const done = new AbortController();
      const drawn = draw(progress, done.signal);
      try {
        return await work();
      } finally {
        done.abort();
        await drawn;
        clear();
      }
    },
  };
}

/** Formats progress, with the elapsed and the estimated remaining time, and the details. */
function formatProgress(
  { text, details = [], done = 0, total = 0, limit }: Progress,
  elapsed: number,
): string {
  const steps = total > 0 ? `, ${done} of ${total}` : '';
  const rest = done > 0 && total > done ? `, about ${toSeconds((elapsed / done) * (total - done))} left` : '';
  const most = limit === undefined ? '' : ` of ${toSeconds(limit)}`;
  const time = `(${toSeconds(elapsed)}${most}${rest})`;
  return [`${text}${steps} ${time}`, ...details].join('; ');
}

function toSeconds(milliseconds: number): string {
  return `${Math.ceil(milliseconds / 1_000)} s`;
}
