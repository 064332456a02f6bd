import type { Client, ClientOptions, Mode } from '@service/sdk';
import { toCliMessage, UsageError } from './errors.ts';
import { readSecret } from './input.ts';
import type { Session } from './session.ts';

/** The default base URL: the address of `service-cli mock`. */
const DEFAULT_BASE_URL = 'http://localhost:4010/api/v1';

/** The modes of a key, an account or an event (docs/contract.md#authentication). */
export const modes: readonly Mode[] = ['test', 'live'];

/** The options of the client. They include the API key, so they must never be printed. */
export type Settings = ClientOptions & { readonly apiKey: string; readonly baseUrl: string };

/**
 * Reads the API key and the base URL from the options, the environment or the defaults.
 *
 * @throws {UsageError} when there is no key, or its file cannot be read.
 */
export async function readSettings(session: Session, timeout?: number): Promise<Settings> {
  const { fetch, globals, output } = session;
  return {
    apiKey: await readKey(session),
    baseUrl: findBaseUrl(session),
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
 * Reads the API key from the options or the environment. `alternative` ends the message if there is no key.
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
  if (modeOfKey(key) === 'live' && findGivenBaseUrl(session) === undefined)
    throw new UsageError(
      'A live key is not sent to the default address, a mock. Pass --base-url, or set SERVICE_BASE_URL.',
    );
  return key;
}

/** Returns the base URL. */
export function findBaseUrl(session: Session): string {
  return findGivenBaseUrl(session) ?? DEFAULT_BASE_URL;
}

function findGivenBaseUrl({ globals, env }: Session): string | undefined {
  return globals().baseUrl ?? (env.SERVICE_BASE_URL || undefined);
}

/**
 * Returns the API key of the options or the environment.
 *
 * @throws {UsageError} when its file cannot be read.
 */
export async function findKey(session: Session): Promise<string | undefined> {
  const { keyFile } = session.globals();
  return keyFile === undefined ? session.env.SERVICE_API_KEY : readSecret(keyFile, session, '--key-file');
}

/**
 * Reads the signing secret from its file or the environment. Returns undefined if there is none.
 *
 * @throws {UsageError} when the file cannot be read.
 */
export async function findSecret(session: Session, file: string | undefined): Promise<string | undefined> {
  if (file !== undefined) return readSecret(file, session, '--secret-file');
  return session.env.SERVICE_WEBHOOK_SECRET || undefined;
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
