// The secrets of the caller, and where each may go. The password of a database goes only to the host of its own URL.
import type { Setting } from './config.ts';
import { UsageError } from './errors.ts';

/** Who chose a setting: the caller, the file of a project, which others can change, or this program. */
export type Origin = 'caller' | 'project' | 'default';

/** A secret that is sent to the base URL. */
type Secret = 'A test key' | 'A live key' | 'The sandbox token' | 'A signing secret';

/**
 * The origins of the base URLs to which each secret is sent. The default is a mock on this machine. A token and a signing
 * secret are sent only to the control API of a mock.
 */
const destinations: Readonly<Record<Secret, readonly Origin[]>> = {
  // It moves no money, and a team shares the address of its test service.
  'A test key': ['caller', 'project', 'default'],
  'A live key': ['caller'],
  'The sandbox token': ['caller', 'default'],
  'A signing secret': ['caller', 'default'],
};

/** The values of a seed file of the working directory that may have the variable of a secret. */
const seedPaths: Readonly<Record<string, RegExp | null>> = {
  SERVICE_API_KEY: /^accounts\.\d+\.testKey$/,
  SERVICE_WEBHOOK_SECRET: /^accounts\.\d+\.(?:live\.)?endpoint\.secret$/,
  SERVICE_SANDBOX_TOKEN: null,
  SERVICE_INTENT_STORE: null,
};

/** Returns whether a secret may be sent to the base URL. */
export function maySend(secret: Secret, { origin }: Setting): boolean {
  return destinations[secret].includes(origin);
}

/** @throws {UsageError} when a secret must not be sent to the base URL. */
export function checkDestination(secret: Secret, baseUrl: Setting): void {
  if (maySend(secret, baseUrl)) return;
  const [place, code] =
    baseUrl.origin === 'default'
      ? ['the default address, a mock']
      : [`the base URL of ${baseUrl.source}, which others can change`, 'invalid_config_file'];
  throw new UsageError(`${secret} is not sent to ${place}. Pass --base-url, or set SERVICE_BASE_URL.`, code);
}

/**
 * Returns why a value of a seed file of the working directory, which can be a cloned folder, must not have a variable. A mock
 * on this machine shows names and URLs without a token.
 */
export function refuseVariable(name: string, path: string): string | undefined {
  if (!name.startsWith('SERVICE_'))
    return `${name} is not read: in a seed file that is found by itself, variables begin with SERVICE_. Rename it, or pass the file with --seed-file.`;
  const allowed = seedPaths[name];
  if (allowed === undefined || allowed?.test(path)) return undefined;
  return `${name} is a secret, which this value would show. To use it here, pass the file with --seed-file.`;
}
