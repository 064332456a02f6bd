import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { describeUnknown } from '@service/internal';
import type { Client, ClientOptions, Mode } from '@service/sdk';
import { type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import { UsageError } from './errors.ts';
import { describeFileError, readSecret } from './input.ts';
import { quoteForShell } from './output.ts';
import { parseHttpUrl } from './parse.ts';
import { checkDestination, type Origin } from './secrets.ts';
import type { Environment, Session } from './session.ts';

/** The default base URL: the address of `service-cli mock`. */
const DEFAULT_BASE_URL = 'http://localhost:4010/api/v1';

/** The modes of a key, an account or an event (docs/contract.md#authentication). */
export const modes: readonly Mode[] = ['test', 'live'];

/** The settings of the environment and of configuration files, with their variables. All but the base URL are secrets. */
export const settingVariables = {
  baseUrl: 'SERVICE_BASE_URL',
  apiKey: 'SERVICE_API_KEY',
  webhookSecret: 'SERVICE_WEBHOOK_SECRET',
  sandboxToken: 'SERVICE_SANDBOX_TOKEN',
} as const;

/** The name of a setting. */
export type SettingName = keyof typeof settingVariables;

type SettingValues = Readonly<Partial<Record<SettingName, string>>>;

const settingNames = Object.keys(settingVariables) as SettingName[];

/** A setting from the environment or a file. */
export interface Setting {
  readonly value: string;
  /** The name of the environment variable or file, for messages. */
  readonly source: string;
  readonly origin: Origin;
}

/**
 * Returns a setting from its first source: a profile counts where it was selected. Undefined without one. Options of single
 * settings are not included.
 *
 * @throws {UsageError} when a file is invalid, or the selected profile does not exist.
 */
export function findSetting(session: Session, name: SettingName): Setting | undefined {
  const { configProfile: given } = session.globals();
  const selected = session.env.SERVICE_CONFIG_PROFILE || undefined;
  const isRequired = given !== undefined || selected !== undefined;
  const wanted = given ?? selected ?? 'default';
  const variable = settingVariables[name];
  const path = findProjectFile(session);
  type Source = readonly [source: string, read: () => SettingValues];
  const profile: Source = [`profile ${wanted}`, () => readProfile(findUserFile(session), wanted, isRequired)];
  const variables: Source = [variable, () => ({ [name]: session.env[variable] ?? '' })];
  const project: Source[] = path === undefined ? [] : [[path, () => readProject(path)]];
  const start = selected === undefined ? [variables, ...project, profile] : [variables, profile, ...project];
  for (const [source, read] of given === undefined ? start : [profile, variables, ...project]) {
    const { [name]: value } = read();
    if (value) return { value, source, origin: source === path ? 'project' : 'caller' };
  }
  return undefined;
}

/** Returns the path of the user file. Undefined in an environment without a home folder. */
export function findUserFile({ env, platform = process.platform }: Environment): string | undefined {
  const { APPDATA = '', XDG_CONFIG_HOME: given = '', HOME: home = '' } = env;
  const folders = platform === 'win32' ? [APPDATA] : [given, join(home, '.config')];
  // The XDG specification ignores relative paths, which would be files of the working directory.
  const folder = folders.find((path) => isAbsolute(path));
  return folder && join(folder, 'service', 'config.json');
}

/** Returns the path of the project file: in the working directory or the nearest folder above it. */
export function findProjectFile({ cwd = '.' }: Environment): string | undefined {
  for (let folder = resolve(cwd); ; folder = dirname(folder)) {
    const path = join(folder, 'service.config.json');
    if (existsSync(path)) return path;
    if (dirname(folder) === folder) return undefined;
  }
}

/** Returns a profile of the user file. One that is not required can be missing. */
function readProfile(path: string | undefined, name: string, isRequired: boolean): SettingValues {
  const profiles = path === undefined || !existsSync(path) ? {} : readProfiles(path);
  if (Object.hasOwn(profiles, name)) return profiles[name] ?? {};
  if (!isRequired) return {};
  const names = Object.keys(profiles).join(', ') || 'none';
  throw new UsageError(
    `There is no profile ${JSON.stringify(name)} in ${path ?? 'a configuration file'}. Its profiles: ${names}.`,
    FILE_CODE,
  );
}

/** The code of errors in configuration files. */
const FILE_CODE = 'invalid_config_file';

/**
 * Reads the profiles of the user file.
 *
 * @throws {UsageError} when it cannot be read or is invalid, or others can read its keys.
 */
function readProfiles(path: string): Readonly<Record<string, SettingValues>> {
  const file = parseFile(path);
  const [profiles] = listFields(file, file.root, 'the file', ['profiles']);
  const all = (profiles ? listFields(file, profiles[1], 'profiles') : []).map(
    ([name, node]) => [name, readSettingsOf(file, node, name)] as const,
  );
  const mode = statSync(path).mode & 0o777;
  const hasSecrets = all.some(([, values]) => Object.keys(values).some((name) => name !== 'baseUrl'));
  // As ssh does.
  if (hasSecrets && process.platform !== 'win32' && (mode & 0o077) !== 0)
    throw new UsageError(
      `${path} contains keys or secrets, and other users have access to it (mode 0${mode.toString(8)}). Run:\n  chmod 600 ${quoteForShell(path)}`,
      FILE_CODE,
    );
  return Object.fromEntries(all);
}

/**
 * Reads the project file. It is shared, so it contains no key.
 *
 * @throws {UsageError} when it cannot be read or is invalid.
 */
function readProject(path: string): SettingValues {
  const file = parseFile(path);
  return readSettingsOf(file, file.root, 'the file', ['baseUrl']);
}

interface ConfigFile {
  readonly path: string;
  readonly text: string;
}

/** Parses a file. The parser reports positions, and no part of the text, which can be a key. */
function parseFile(path: string): ConfigFile & { readonly root: Node } {
  let text: string;
  try {
    text = readFileSync(path, 'utf8').replace(/^\uFEFF/, '');
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    throw new UsageError(`Cannot read ${path}: ${describeFileError(code)}.`, FILE_CODE);
  }
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { disallowComments: true });
  if (root !== undefined && errors.length === 0) return { path, text, root };
  const { error, offset } = errors[0] ?? { error: 4, offset: 0 };
  // `CloseBraceExpected` becomes `close brace expected`.
  const reason = printParseErrorCode(error)
    .replaceAll(/\B[A-Z]/g, (letter) => ` ${letter}`)
    .toLowerCase();
  throw createFileError({ path, text }, offset, `the file is not valid JSON: ${reason}.`);
}

/** Creates an error with its line and column. It never contains a value, which can be a key. */
function createFileError({ path, text }: ConfigFile, offset: number, problem: string): UsageError {
  const lines = text.slice(0, offset).split('\n');
  const place = `${path}:${lines.length}:${(lines.at(-1) ?? '').length + 1}`;
  return new UsageError(`${place}: ${problem}`, FILE_CODE);
}

type ConfigField = readonly [name: string, node: Node, offset: number];

/** @throws {UsageError} when a node is not an object, or has an unknown or repeated field. */
function listFields(
  file: ConfigFile,
  { type, offset: start, children = [] }: Node,
  title: string,
  known?: readonly string[],
): ConfigField[] {
  if (type !== 'object') throw createFileError(file, start, `${title} must be an object in braces.`);
  const seen = new Set<string>();
  return children.map(({ offset, children: [key, node] = [] }) => {
    const name = String(key?.value);
    if (known?.includes(name) === false)
      throw createFileError(
        file,
        offset,
        Object.hasOwn(settingVariables, name) && known.includes('baseUrl')
          ? `${name} does not belong into the file of a project, which others can read. Move it to a profile in the file of the user.`
          : describeUnknown(name, known),
      );
    if (seen.has(name)) throw createFileError(file, offset, `${name} occurs twice.`);
    seen.add(name);
    return [name, node as Node, offset] as const;
  });
}

function readSettingsOf(
  file: ConfigFile,
  root: Node,
  title: string,
  known: readonly SettingName[] = settingNames,
): SettingValues {
  const settings = listFields(file, root, title, known).map(([name, node, offset]) => {
    const { value } = node as { value?: unknown };
    if (typeof value !== 'string' || value === '')
      throw createFileError(file, offset, `${name} must be text that is not empty.`);
    if (name === 'baseUrl' && parseHttpUrl(value) === undefined)
      throw createFileError(
        file,
        offset,
        'baseUrl must be an http or https URL without user name and password, such as "http://localhost:4010/api/v1".',
      );
    return [name, value] as const;
  });
  return Object.fromEntries(settings);
}

/** The options of the client. They include the API key, so they must never be printed. */
export type Settings = ClientOptions & { readonly apiKey: string; readonly baseUrl: string };

/**
 * Reads the API key and the base URL from the options, the environment, the configuration files or the defaults.
 *
 * @throws {UsageError} when there is no key, or its file cannot be read.
 */
export async function readSettings(session: Session, timeout?: number): Promise<Settings> {
  const { fetch, globals, output } = session;
  return {
    apiKey: await readKey(session),
    baseUrl: findBaseUrl(session).value,
    allowInsecureHttp: globals().allowInsecureHttp,
    timeout,
    fetch,
    onWarning: ({ message }) =>
      output.note(`warning: ${message.replace('Use rawAmount() to read it.', 'It is rounded.')}`),
  };
}

/**
 * Creates the client of a command from its options.
 *
 * @throws {UsageError} when there is no key, or its file cannot be read.
 * @throws {ConfigurationError} when the client rejects a setting.
 */
export async function connect(session: Session, timeout?: number): Promise<Client> {
  return openClient(await readSettings(session, timeout));
}

/**
 * Creates a client. Loads the SDK on the first call, because some commands never call the API.
 *
 * @throws {ConfigurationError} when the client rejects a setting.
 */
export async function openClient(settings: Settings & Pick<ClientOptions, 'keyRetention'>): Promise<Client> {
  const { createClient } = await import('@service/sdk');
  return createClient(settings);
}

/** Returns the mode of a key whose form was already checked (docs/contract.md#authentication). */
export function modeOfKey(key: string): Mode {
  return key.startsWith('service_live_') ? 'live' : 'test';
}

/**
 * Reads the API key from the options, the environment or a profile. `alternative` ends the message if there is no key.
 *
 * @throws {UsageError} when there is no key, its file cannot be read, or it must not be sent to the base URL.
 */
export async function readKey(session: Session, alternative = ''): Promise<string> {
  const key = await session.findKey();
  if (!key)
    throw new UsageError(
      `The API key is missing. Set SERVICE_API_KEY, or pass --key-file FILE ('-' for stdin)${alternative}.`,
      'missing_key',
    );
  checkDestination(modeOfKey(key) === 'live' ? 'A live key' : 'A test key', findBaseUrl(session));
  return key;
}

/** Returns the base URL, and its source. */
export function findBaseUrl(session: Session): Setting {
  const { baseUrl } = session.globals();
  if (baseUrl !== undefined) return { value: baseUrl, source: '--base-url', origin: 'caller' };
  return findSetting(session, 'baseUrl') ?? { value: DEFAULT_BASE_URL, source: 'default', origin: 'default' };
}

/**
 * Returns the API key of the options, the environment or a profile.
 *
 * @throws {UsageError} when its file cannot be read.
 */
export async function findKey(session: Session): Promise<string | undefined> {
  const { output, globals } = session;
  const { keyFile, key } = globals();
  if (keyFile !== undefined) return readSecret(keyFile, session);
  if (key !== undefined)
    output.note(
      'warning: --key is visible in the process list and the shell history. Use SERVICE_API_KEY or --key-file.',
    );
  return key ?? findSetting(session, 'apiKey')?.value;
}

/**
 * Reads the signing secret from its file or the environment. Returns undefined if there is none.
 *
 * @throws {UsageError} when the file cannot be read.
 */
export async function findSecret(session: Session, file: string | undefined): Promise<string | undefined> {
  return file === undefined ? findSetting(session, 'webhookSecret')?.value : readSecret(file, session);
}

/**
 * Reads the signing secret from its file or the environment.
 *
 * @throws {UsageError} when there is no secret, or its file cannot be read.
 */
export async function requireSecret(session: Session, file: string | undefined): Promise<string> {
  const secret = await findSecret(session, file);
  if (secret !== undefined) return secret;
  throw new UsageError(
    'The signing secret is missing. Set SERVICE_WEBHOOK_SECRET, or pass --secret-file FILE.',
    'missing_secret',
  );
}
