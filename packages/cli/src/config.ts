import { existsSync, readFileSync, statSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { describeUnknown, isRecord, type JsonObject, parseJson } from '@service/internal';
import type { Client, ClientOptions, Mode } from '@service/sdk';
import { toCliMessage, UsageError } from './errors.ts';
import { describeFileError, readSecret } from './input.ts';
import { quoteForShell } from './output.ts';
import { parseHttpUrl } from './parse.ts';
import type { Environment, Session } from './session.ts';

/** The default base URL: the address of `service-cli mock`. */
const DEFAULT_BASE_URL = 'http://localhost:4010/api/v1';

/** The source of the default base URL. */
const DEFAULT = 'default';

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
  /** The name of the option, environment variable or profile, for messages. */
  readonly source: string;
}

/**
 * Returns a setting from its first source: a profile counts where it was selected. Undefined without one. Options of single
 * settings are not included. No file of the working directory, which others can change, has a setting.
 *
 * @throws {UsageError} when the file of the user is invalid, or the selected profile does not exist.
 */
export function findSetting(session: Session, name: SettingName): Setting | undefined {
  const { configProfile: given } = session.globals();
  const selected = given ?? (session.env.SERVICE_CONFIG_PROFILE || undefined);
  const profile = selected ?? 'default';
  const variable = settingVariables[name];
  const own = session.env[variable];
  if (own && given === undefined) return { value: own, source: variable };
  const stored = readProfile(findUserFile(session), profile, selected !== undefined)[name];
  if (stored) return { value: stored, source: `profile ${profile}` };
  return own ? { value: own, source: variable } : undefined;
}

/** Returns the path of the user file. Undefined in an environment without a home folder. */
export function findUserFile({ env, platform = process.platform }: Environment): string | undefined {
  const { APPDATA = '', XDG_CONFIG_HOME: given = '', HOME: home = '' } = env;
  const folders = platform === 'win32' ? [APPDATA] : [given, join(home, '.config')];
  // The XDG specification ignores relative paths, which would be files of the working directory.
  const folder = folders.find((path) => isAbsolute(path));
  return folder && join(folder, 'service', 'config.json');
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
  let text: string;
  try {
    text = readFileSync(path, 'utf8').replace(/^\uFEFF/, '');
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    throw new UsageError(`Cannot read ${path}: ${describeFileError(code)}.`, FILE_CODE);
  }
  const file = parseJson(text);
  // The message of a parser can contain a key.
  if (file === undefined) throw new UsageError(`${path}: the file is not valid JSON.`, FILE_CODE);
  /** @throws {UsageError} that names the place, and no value, which can be a key. */
  const readObject = (value: unknown, place: string, known?: readonly string[]): JsonObject => {
    if (!isRecord(value)) throw new UsageError(`${path}: ${place} must be an object in braces.`, FILE_CODE);
    const unknown = known && Object.keys(value).find((name) => !known.includes(name));
    if (unknown !== undefined)
      throw new UsageError(`${path}: in ${place}, ${describeUnknown(unknown, known ?? [])}`, FILE_CODE);
    return value;
  };
  const { profiles = {} } = readObject(file, 'the file', ['profiles']);
  const all = Object.entries(readObject(profiles, 'profiles')).map(([profile, values]) => {
    const settings = readObject(values, `profile ${profile}`, settingNames);
    for (const [name, value] of Object.entries(settings)) {
      const isUrl = name !== 'baseUrl' || (typeof value === 'string' && parseHttpUrl(value) !== undefined);
      if (typeof value === 'string' && value !== '' && isUrl) continue;
      const rule = isUrl
        ? 'text that is not empty'
        : 'an http or https URL without user name and password, such as "http://localhost:4010/api/v1"';
      throw new UsageError(`${path}: ${name} of profile ${profile} must be ${rule}.`, FILE_CODE);
    }
    return [profile, settings] as const;
  });
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
    onWarning: ({ message }) => output.note(`warning: ${toCliMessage(message)}`),
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
 * @throws {UsageError} when there is no key, its file cannot be read, or it is a live key without a base URL.
 */
export async function readKey(session: Session, alternative = ''): Promise<string> {
  const key = await session.findKey();
  if (!key)
    throw new UsageError(
      `The API key is missing. Set SERVICE_API_KEY, or pass --key-file FILE ('-' for stdin)${alternative}.`,
      'missing_key',
    );
  if (modeOfKey(key) === 'live' && findBaseUrl(session).source === DEFAULT)
    throw new UsageError(
      'A live key is not sent to the default address, a mock. Pass --base-url, or set SERVICE_BASE_URL.',
    );
  return key;
}

/** Returns the base URL, and its source. */
export function findBaseUrl(session: Session): Setting {
  const { baseUrl } = session.globals();
  if (baseUrl !== undefined) return { value: baseUrl, source: '--base-url' };
  return findSetting(session, 'baseUrl') ?? { value: DEFAULT_BASE_URL, source: DEFAULT };
}

/**
 * Returns the API key of the options, the environment or a profile.
 *
 * @throws {UsageError} when its file cannot be read.
 */
export async function findKey(session: Session): Promise<string | undefined> {
  const { output, globals } = session;
  const { keyFile, key } = globals();
  if (keyFile !== undefined) return readSecret(keyFile, session, '--key-file');
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
  return file === undefined
    ? findSetting(session, 'webhookSecret')?.value
    : readSecret(file, session, '--secret-file');
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
