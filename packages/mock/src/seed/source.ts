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

/** Creates the error of a seed, which lists all problems. */
export function createSeedError(problems: readonly SeedProblem[]): SandboxError {
  const lines = problems.map((problem) => `  ${redactKeys(formatSeedProblem(problem))}`);
  const title = `The seed has ${lines.length === 1 ? 'a problem' : `${lines.length} problems`}:`;
  return new SandboxError('invalid_argument', [title, ...lines].join('\n'));
}
