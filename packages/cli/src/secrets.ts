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
