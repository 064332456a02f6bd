/**
 * Seed files: the initial state of a sandbox as YAML or JSON.
 *
 * @module
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isRecord } from '@service/internal';
// Imported by package name, so that the types and errors of both entries are identical.
import { SandboxError, type SandboxSeed } from '@service/mock';
import { parse } from 'yaml';

/** The names of a seed file that is found without its path. */
const seedFileNames: readonly string[] = ['service.sandbox.yaml', 'service.sandbox.json'];

/** The options of `loadSeedFile`. */
export interface SeedFileOptions {
  /**
   * The environment variables.
   *
   * @default process.env
   */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/**
 * Returns the path of the seed file in a folder, or undefined without one.
 *
 * @throws {SandboxError} when the folder has more than one
 */
export function findSeedFile(folder: string = '.'): string | undefined {
  const found = seedFileNames.filter((name) => existsSync(join(folder, name)));
  if (found.length > 1)
    throw createError(`There are two seed files: ${found.join(' and ')}. Remove one of them.`);
  return found[0] === undefined ? undefined : join(folder, found[0]);
}

/**
 * Reads a seed file in YAML or JSON, and replaces `${SERVICE_SEED_…}` in its texts by the variable of that name.
 * `createMock({ initial })` checks its fields.
 *
 * @throws {SandboxError} when the file cannot be read or parsed, and for a variable that is not set or not read
 * @example
 * const mock = createMock({ initial: loadSeedFile('service.sandbox.yaml') });
 */
export function loadSeedFile(path: string, { env = process.env }: SeedFileOptions = {}): SandboxSeed {
  const problems: string[] = [];
  const replace = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(replace);
    if (isRecord(value))
      return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, replace(each)]));
    if (typeof value !== 'string') return value;
    return value.replaceAll(/\$\{([^}]*)\}/g, (_, name: string) => {
      // The file can be that of a cloned folder, and a mock on this machine shows names and URLs without a token.
      const isAllowed = name.startsWith('SERVICE_SEED_');
      const text = isAllowed ? env[name] : undefined;
      if (!isAllowed)
        problems.push(
          `The variable ${JSON.stringify(name)} is not read: those of a seed file begin with SERVICE_SEED_.`,
        );
      else if (!text) problems.push(`The environment variable ${name} is not set.`);
      return text ?? '';
    });
  };
  const seed = replace(parseFile(path));
  if (problems.length > 0) throw createError(`${path}: ${problems.join(' ')}`);
  return seed as SandboxSeed;
}

function parseFile(path: string): object {
  let content: unknown;
  try {
    content = parse(readFileSync(path, 'utf8'));
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const isSyntax = (cause as Error).name === 'YAMLParseError' || code === undefined;
    if (isSyntax) throw createError(`${path} is not valid YAML or JSON: ${message.trim()}`, { cause });
    const reason = code === 'ENOENT' ? 'there is no such file' : code;
    throw createError(`Cannot read the seed file ${path}: ${reason}.`, { cause });
  }
  if (isRecord(content ?? {})) return content ?? {};
  throw createError(`${path}: the file must contain named fields, such as \`accounts\`.`);
}

function createError(message: string, options?: ErrorOptions): SandboxError {
  return new SandboxError('invalid_argument', message, options);
}
