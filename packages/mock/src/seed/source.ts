import { describeUnknown, redactKeys } from '@service/internal';
import * as s from '../domain/schema.ts';
import { SandboxError } from '../state/sandbox-error.ts';

/** The names and indexes that lead to a value of a seed. */
export type SeedPath = s.Problem['path'];

/** A problem of a seed. */
export interface SeedProblem {
  readonly path: SeedPath;
  readonly message: string;
  /** Whether the problem is the name at the end of the path, and not its value. */
  readonly isName?: true;
}

/** Converts a problem of a value to sentences that a file can show beside their places. Unknown names get suggestions. */
export function toSeedProblems({ path, text, reason, unknown, given }: s.Problem): SeedProblem[] {
  const name = String(path.at(-1));
  if (unknown !== undefined)
    return unknown.map((each) => ({
      path: [...path, each],
      isName: true,
      message: describeUnknown(each, text.split(', ')),
    }));
  if (s.isSentence(text)) return [{ path, message: `${text.replaceAll(s.PLACE, name)}.` }];
  if (given === undefined)
    return [{ path: path.slice(0, -1), message: `${name} is missing: it must be ${text}.` }];
  return [{ path, message: `must be ${text}${reason === undefined ? '' : `: ${reason}`}.` }];
}

/** Formats a problem with its path, such as `accounts[0].name must be text`. */
function formatSeedProblem({ path, message, isName }: SeedProblem): string {
  const place = s.formatPath(isName ? path.slice(0, -1) : path);
  if (place === '') return message;
  const name = String(path.at(-1));
  if (!isName && message.startsWith(`${name} `)) return `${place}${message.slice(name.length)}`;
  return `${place}${isName || !/^(?:must|cannot) /.test(message) ? ':' : ''} ${message}`;
}

/**
 * The key of the source of a seed that was read from a file. Copies of the seed keep it. Both builds of this package
 * share the key.
 */
export const SOURCE: unique symbol = Symbol.for('@service/mock/seed-source') as never;

/** The file that a seed was read from. */
export interface SeedSource {
  readonly file: string;
  /** The references to environment variables that are not set. */
  readonly problems: readonly SeedProblem[];
  /** Returns the lines of problems with their positions, in the order of the file. */
  readonly locate: (problems: readonly SeedProblem[], lines: readonly string[]) => readonly string[];
  /** Replaces the values of environment variables in a message by their names. */
  readonly redact: (message: string) => string;
}

/** Returns the source of a seed, or undefined if it was not read from a file. */
export function sourceOf(seed: unknown): SeedSource | undefined {
  return (seed as { readonly [SOURCE]?: SeedSource } | null | undefined)?.[SOURCE];
}

/** Creates the error of a seed, which lists all problems. */
export function createSeedError(seed: unknown, problems: readonly SeedProblem[]): SandboxError {
  const source = sourceOf(seed);
  const lines = problems.map((problem) => redactKeys(formatSeedProblem(problem)));
  const shown = source?.locate(problems, lines) ?? lines;
  const title = `${source?.file ?? 'The seed'} has ${lines.length === 1 ? 'a problem' : `${lines.length} problems`}:`;
  return new SandboxError('invalid_argument', [title, ...shown.map((line) => `  ${line}`)].join('\n'));
}
