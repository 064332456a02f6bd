import type { Mode } from '@service/webhooks';
import { findSecret, modeOfKey, requireSecret } from '../config.ts';
import { UsageError } from '../errors.ts';
import { checkStdin } from '../input.ts';
import { readUsableKey } from '../sandbox/account-lookup.ts';
import type { Session } from '../session.ts';
import type { ListenOptions } from './options.ts';

/** The signing secret and mode of the events, and with `--sandbox` the API key of their account. */
export interface EventSource {
  readonly secret: string | undefined;
  readonly mode: Mode | undefined;
  readonly key: string | undefined;
}

/**
 * Reads the event source from the options and the environment.
 *
 * @throws {UsageError} when the secret or the key is missing or does not fit the options.
 */
export async function readEventSource(session: Session, options: ListenOptions): Promise<EventSource> {
  const { secretFile, mode } = options;
  if (options.sandbox !== true)
    return { secret: await requireSecret(session, secretFile), mode, key: undefined };
  checkStdin([secretFile, session.globals().keyFile]);
  const key = await readUsableKey(session);
  const keyMode = modeOfKey(key);
  if (mode !== undefined && mode !== keyMode)
    throw new UsageError(`--mode ${mode} would reject every event: the API key has mode ${keyMode}.`);
  return { secret: await findSecret(session, secretFile), mode: keyMode, key };
}

/**
 * Checks that the secret to print is a new one: a secret of the user is not printed.
 *
 * @throws {UsageError} when it is not.
 */
export function checkPrintSecret({ printSecret, sandbox }: ListenOptions, { secret }: EventSource): void {
  if (!printSecret) return;
  if (!sandbox) throw new UsageError('--print-secret needs --sandbox, which creates the signing secret.');
  if (secret === undefined) return;
  throw new UsageError(
    '--print-secret prints only a new signing secret, and you have set your own. Unset SERVICE_WEBHOOK_SECRET and omit --secret-file.',
  );
}
