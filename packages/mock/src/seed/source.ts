import { redactKeys } from '@service/internal';
import { SandboxError } from '../state/sandbox-error.ts';
import { formatProblem, type SeedProblem } from './check.ts';

/**
 * The key of the source of a seed that was read from a file. Copies of the seed keep it. Both builds of this package
 * share the key.
 */
export const SOURCE: unique symbol = Symbol.for('@service/mock/seed-source') as never;

/** The file that a seed was read from. */
export interface SeedSource {
  readonly file: string;
  /** Returns the line and the column of a problem, such as `7:5`. */
  readonly locate: (problem: SeedProblem) => string;
  /** Replaces the values of environment variables in a message by their names. */
  readonly redact: (message: string) => string;
}

/** Creates the error of a seed. It lists all problems, with their positions in the file. */
export function createSeedError(seed: unknown, problems: readonly SeedProblem[]): SandboxError {
  const source = (seed as { readonly [SOURCE]?: SeedSource } | null | undefined)?.[SOURCE];
  const lines = problems.map((problem) => {
    const line = redactKeys(formatProblem(problem));
    return source === undefined ? line : `${source.file}:${source.locate(problem)}: ${source.redact(line)}`;
  });
  const count = problems.length === 1 ? 'a problem' : `${problems.length} problems`;
  return new SandboxError(
    'invalid_argument',
    `${source?.file ?? 'The seed'} has ${count}:\n${lines.map((line) => `  ${line}`).join('\n')}`,
  );
}
