import { existsSync, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { describeUnknown } from '@service/internal';
import type { Node } from 'jsonc-parser';
import { UsageError } from './errors.ts';
import { quoteForShell } from './output.ts';
import { docs } from './generated/docs.ts';
import { describeFileError } from './input.ts';
import { parseHttpUrl } from './parse.ts';
import type { Environment } from './session.ts';

const loadModule = createRequire(import.meta.url);

/** The settings of a configuration file. */
export const settingNames = ['baseUrl', 'apiKey', 'webhookSecret', 'sandboxToken'] as const;

/** A setting of a configuration file. */
export type SettingName = (typeof settingNames)[number];

/** The settings of a project file or of a profile. */
export type SettingValues = Readonly<Partial<Record<SettingName, string>>>;

/** The name of the project file. */
const PROJECT_FILE = 'service.config.json';

/** Returns the path of the user file. Undefined in an environment without a home folder. */
export function findUserFile({ env, platform = process.platform }: Environment): string | undefined {
  if (platform === 'win32') return env.APPDATA ? join(env.APPDATA, 'service', 'config.json') : undefined;
  const { XDG_CONFIG_HOME: given = '', HOME: home } = env;
  // The XDG specification ignores relative paths.
  const folder = isAbsolute(given) ? given : home && join(home, '.config');
  return folder ? join(folder, 'service', 'config.json') : undefined;
}

/** Returns the path of the project file: in the working directory or the nearest folder above it. */
export function findProjectFile({ cwd = '.' }: Environment): string | undefined {
  let folder = resolve(cwd);
  for (;;) {
    const path = join(folder, PROJECT_FILE);
    if (existsSync(path)) return path;
    if (dirname(folder) === folder) return undefined;
    folder = dirname(folder);
  }
}

/**
 * Reads the profiles of the user file, by name. Without a file there are none.
 *
 * @throws {UsageError} when it cannot be read or is invalid, or others can read its keys.
 */
export function readProfiles(path: string): ReadonlyMap<string, SettingValues> {
  if (!existsSync(path)) return new Map();
  const file = parseFile(path);
  const profiles = new Map<string, SettingValues>();
  for (const [name, node] of listFields(file, file.root, ['profiles'])) {
    checkObject(file, node, name);
    for (const [profile, settings] of listFields(file, node)) {
      checkObject(file, settings, profile);
      profiles.set(profile, readSettings(file, settings, settingNames));
    }
  }
  const hasSecrets = [...profiles.values()].some((values) => Object.keys(values).some(isSecret));
  if (hasSecrets) checkPermissions(path);
  return profiles;
}

/**
 * Reads the project file. It is shared, so it contains no key.
 *
 * @throws {UsageError} when it cannot be read or is invalid.
 */
export function readProject(path: string): SettingValues {
  const file = parseFile(path);
  const secret = listFields(file, file.root).find(([name]) => isSecret(name));
  if (secret !== undefined)
    throw createError(
      file,
      secret[1],
      `${secret[0]} does not belong into the file of a project, which others can read. Move it to a profile in the file of the user.`,
    );
  return readSettings(file, file.root, ['baseUrl']);
}

function isSecret(name: string): boolean {
  return name !== 'baseUrl' && settingNames.some((known) => known === name);
}

interface ConfigFile {
  readonly path: string;
  readonly text: string;
  readonly root: Node;
}

function parseFile(path: string): ConfigFile {
  const { parseTree, printParseErrorCode } = loadModule('jsonc-parser') as typeof import('jsonc-parser');
  const text = readText(path).replace(/^\uFEFF/, '');
  const errors: import('jsonc-parser').ParseError[] = [];
  const root = parseTree(text, errors, { disallowComments: true });
  const [problem] = errors;
  if (problem !== undefined || root === undefined) {
    const { error, offset } = problem ?? { error: 4, offset: 0 };
    // `CloseBraceExpected` becomes `close brace expected`.
    const reason = printParseErrorCode(error).replaceAll(/\B[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
    throw createError({ path, text }, { offset }, `the file is not valid JSON: ${reason.toLowerCase()}.`);
  }
  const file = { path, text, root };
  checkObject(file, root, 'the file');
  return file;
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    throw new UsageError(`Cannot read ${path}: ${describeFileError(code)}.`, FILES_PAGE);
  }
}

const FILES_PAGE = `${docs.configuration}#configuration-files`;

/** Creates an error with the line and the column of its cause. It never contains a value, which can be a key. */
function createError(
  { path, text }: Pick<ConfigFile, 'path' | 'text'>,
  { offset }: Pick<Node, 'offset'>,
  problem: string,
): UsageError {
  const lines = text.slice(0, offset).split('\n');
  return new UsageError(`${path}:${lines.length}:${(lines.at(-1)?.length ?? 0) + 1}: ${problem}`, FILES_PAGE);
}

/**
 * Returns the fields of an object.
 *
 * @throws {UsageError} when one has another name than `known`, or occurs twice.
 */
function listFields(
  file: ConfigFile,
  { children = [] }: Node,
  known?: readonly string[],
): (readonly [name: string, value: Node])[] {
  const seen = new Set<string>();
  return children.map((field) => {
    const [key, value] = field.children ?? [];
    const name = String(key?.value);
    if (value === undefined) throw createError(file, field, `${name} has no value.`);
    if (known !== undefined && !known.includes(name))
      throw createError(file, field, describeUnknown(name, known));
    if (seen.has(name)) throw createError(file, field, `${name} occurs twice.`);
    seen.add(name);
    return [name, value] as const;
  });
}

function checkObject(file: ConfigFile, node: Node, name: string): void {
  if (node.type !== 'object') throw createError(file, node, `${name} must be an object in braces.`);
}

function readSettings(file: ConfigFile, node: Node, known: readonly string[]): SettingValues {
  return Object.fromEntries(
    listFields(file, node, known).map(([setting, { type, value, offset }]) => {
      if (type !== 'string' || value === '')
        throw createError(file, { offset }, `${setting} must be text that is not empty.`);
      if (setting === 'baseUrl' && parseHttpUrl(String(value)) === undefined)
        throw createError(
          file,
          { offset },
          'baseUrl must be an http or https URL without user name and password, such as "http://localhost:4010/api/v1".',
        );
      return [setting, String(value)];
    }),
  );
}

/**
 * Checks that only the user can read a file with keys, as ssh does.
 *
 * @throws {UsageError} when others can.
 */
function checkPermissions(path: string): void {
  if (process.platform === 'win32') return;
  const mode = statSync(path).mode & 0o777;
  if ((mode & 0o077) === 0) return;
  throw new UsageError(
    `${path} contains keys or secrets, and other users have access to it (mode 0${mode.toString(8)}). Run:\n  chmod 600 ${quoteForShell(path)}`,
    FILES_PAGE,
  );
}
