import type { Mode } from '@service/webhooks';
import { modeOfKey } from '../config.ts';
import { checkStdin } from '../input.ts';
import { readUsableKey } from '../sandbox/locate.ts';
import type { Session } from '../session.ts';
import { findSecret, needSecret } from '../signing-secret.ts';
import { UsageError } from '../usage-error.ts';
import type { ListenOptions } from './options.ts';

/** Says how events are signed, of which mode they are, and by which key a sandbox is told to send them, if one is. */
export type Sender = {
  readonly secret: string | undefined;
  readonly mode: Mode | undefined;
  readonly key: string | undefined;
};

/** Reads who sends from the options and the environment. Throws UsageError. */
export async function readSender(session: Session, options: ListenOptions): Promise<Sender> {
  const { secretFile, mode } = options;
  if (options.sandbox !== true)
    return { secret: await needSecret(session, secretFile), mode, key: undefined };
  checkStdin([secretFile, session.globals().keyFile]);
  const key = await readUsableKey(session);
  const keyMode = modeOfKey(key);
  if (mode !== undefined && mode !== keyMode)
    throw new UsageError(`--mode ${mode} would refuse every event: the key is of ${keyMode} mode.`);
  return { secret: await findSecret(session, secretFile), mode: keyMode, key };
}
