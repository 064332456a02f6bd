import type { Client, ClientOptions, Mode } from '@service/sdk';
import { readSecret } from './input.ts';
import type { Session } from './session.ts';
import { UsageError } from './usage-error.ts';

/** Names the address that is called when none is given: that of `service-cli mock`. */
export const DEFAULT_BASE_URL = 'http://localhost:4010/api/v1';

/** Lists the modes that a key, an account or an event can have (spec §5). */
export const modes: readonly Mode[] = ['test', 'live'];

/** Holds what a client is made of; the key is among it, so it is never printed. */
export type Settings = ClientOptions & { readonly apiKey: string; readonly baseUrl: string };

/**
 * Reads key and address from the options, the environment and the defaults, in this order.
 *
 * @throws UsageError when there is no key, or when its file cannot be read.
 */
export async function readSettings(session: Session, timeout?: number): Promise<Settings> {
  const { environment, globals, output } = session;
  const { baseUrl, allowInsecureHttp } = globals();
  return {
    apiKey: await readKey(session),
    baseUrl: baseUrl ?? (environment.env.SERVICE_BASE_URL || DEFAULT_BASE_URL),
    allowInsecureHttp,
    timeout,
    fetch: environment.fetch,
    onWarning: ({ message }) => output.note(`warning: ${message}`),
  };
}

/** Creates the client that a command calls the API with. Throws UsageError, ConfigurationError. */
export async function connect(session: Session, timeout?: number): Promise<Client> {
  return openClient(await readSettings(session, timeout));
}

/** Creates a client; the SDK is loaded only now, because not every command calls the API. Throws ConfigurationError. */
export async function openClient(settings: Settings): Promise<Client> {
  const { createClient } = await import('@service/sdk');
  return createClient(settings);
}

/** Tells the mode of a key that a client has accepted (spec §5). */
export function modeOfKey(key: string): Mode {
  return key.startsWith('service_live_') ? 'live' : 'test';
}

/** Reads the API key from the options or the environment. Throws UsageError, with what else would do, when there is none. */
export async function readKey(session: Session, alternative = ''): Promise<string> {
  const key = await findKey(session);
  if (key) return key;
  throw new UsageError(
    `There is no API key: set SERVICE_API_KEY, or pass --key-file FILE ('-' reads stdin) with a key in it${alternative}.`,
  );
}

async function findKey(session: Session): Promise<string | undefined> {
  const { environment, output, globals } = session;
  const { keyFile, key } = globals();
  if (keyFile !== undefined) return readSecret(keyFile, session);
  if (key !== undefined) {
    output.note(
      'warning: other users of this machine and the shell history can see --key; use SERVICE_API_KEY or --key-file.',
    );
    return key;
  }
  return environment.env.SERVICE_API_KEY;
}
