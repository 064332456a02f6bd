import type { Client, ClientOptions, Mode } from '@service/sdk';
import type { Command } from 'commander';
import { UsageError } from './errors.ts';
import { docs } from './generated/docs.ts';
import { readSecret } from './input.ts';
import type { Session } from './session.ts';
import { findSetting, type Setting } from './settings.ts';

/** The default base URL: the address of `service-cli mock`. */
export const DEFAULT_BASE_URL = 'http://localhost:4010/api/v1';

/** The modes of a key, an account or an event (docs/contract.md#authentication). */
export const modes: readonly Mode[] = ['test', 'live'];

/** The options of the client. They include the API key, so they must never be printed. */
export type Settings = ClientOptions & { readonly apiKey: string; readonly baseUrl: string };

/**
 * Reads the API key and the base URL from the options, the environment, the configuration files or the defaults.
 *
 * @throws {UsageError} when there is no key, or its file cannot be read.
 */
export async function readSettings(session: Session, timeout?: number): Promise<Settings> {
  const { environment, globals, output } = session;
  return {
    apiKey: await readKey(session),
    baseUrl: findBaseUrl(session).value,
    allowInsecureHttp: globals().allowInsecureHttp,
    timeout,
    fetch: environment.fetch,
    onWarning: ({ message }) => output.note(`warning: ${message}`),
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
 * @throws {UsageError} when there is no key, its file cannot be read, or a live key would be sent to the base URL of a project file.
 */
export async function readKey(session: Session, alternative = ''): Promise<string> {
  const key = await session.findKey();
  if (key) checkSharedUrl(session, key);
  if (key) return key;
  throw new UsageError(
    `The API key is missing. Set SERVICE_API_KEY, or pass --key-file FILE ('-' for stdin)${alternative}.`,
    docs.configuration,
  );
}

/** Returns the base URL, and its source. */
export function findBaseUrl(session: Session): Setting {
  const { baseUrl } = session.globals();
  if (baseUrl !== undefined) return { value: baseUrl, source: '--base-url', isShared: false };
  return findSetting(session, 'baseUrl') ?? { value: DEFAULT_BASE_URL, source: 'default', isShared: false };
}

/**
 * Checks that a live key is not sent to an address that somebody else can change in a repository.
 *
 * @throws {UsageError} when it would be.
 */
function checkSharedUrl(session: Session, key: string): void {
  if (modeOfKey(key) !== 'live') return;
  const { isShared, source } = findBaseUrl(session);
  if (!isShared) return;
  throw new UsageError(
    `A live key is not sent to the base URL of ${source}, which others can change. Pass --base-url, or set SERVICE_BASE_URL.`,
    `${docs.configuration}#configuration-files`,
  );
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
  if (key !== undefined) {
    output.note(
      'warning: --key is visible in the process list and the shell history. Use SERVICE_API_KEY or --key-file.',
    );
    return key;
  }
  return findSetting(session, 'apiKey')?.value;
}

/** Adds the option `--secret-file`. */
export function addSecretFile(command: Command): Command {
  return command.option(
    '--secret-file <file>',
    "read the signing secret from a file, '-' for stdin (default: SERVICE_WEBHOOK_SECRET)",
  );
}

/**
 * Reads the signing secret from its file or the environment. Returns undefined if there is none.
 *
 * @throws {UsageError} when the file cannot be read.
 */
export async function findSecret(session: Session, file: string | undefined): Promise<string | undefined> {
  if (file !== undefined) return readSecret(file, session);
  return findSetting(session, 'webhookSecret')?.value;
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
  );
}
