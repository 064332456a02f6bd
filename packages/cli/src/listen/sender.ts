import type { Mode } from '@service/webhooks';
import { modeOfKey, openClient, readSettings } from '../config.ts';
import { STDIN } from '../input.ts';
import type { Session } from '../session.ts';
import { findSecret, needSecret } from '../signing-secret.ts';
import { UsageError } from '../usage-error.ts';
import type { ListenOptions } from './options.ts';
import type { EndpointPlan } from './sandbox-endpoint.ts';

/** Says who sends: how events are signed, of which mode they are, and which sandbox is to be told, if any. */
export type Sender = {
  readonly secret: string | undefined;
  readonly mode: Mode | undefined;
  readonly endpoint: Omit<EndpointPlan, 'url'> | undefined;
};

/** Reads who sends from the options and the environment. Throws UsageError, ConfigurationError. */
export async function readSender(session: Session, options: ListenOptions): Promise<Sender> {
  const { secretFile, mode } = options;
  if (options.sandbox !== true)
    return { secret: await needSecret(session, secretFile), mode, endpoint: undefined };
  if (secretFile === STDIN && session.globals().keyFile === STDIN)
    throw new UsageError('The key and the secret cannot both come from stdin.');
  const settings = await readSettings(session);
  // The client judges where the key may go, before anything else takes it there.
  await openClient(settings);
  const { apiKey, baseUrl } = settings;
  const keyMode = modeOfKey(apiKey);
  if (mode !== undefined && mode !== keyMode)
    throw new UsageError(`--mode ${mode} would refuse every event: the key is of ${keyMode} mode.`);
  const secret = await findSecret(session, secretFile);
  const { env, signal, fetch = globalThis.fetch } = session.environment;
  const token = env.SERVICE_SANDBOX_TOKEN || undefined;
  const send = (request: Request): Promise<Response> => fetch(request);
  return {
    secret,
    mode: keyMode,
    endpoint: { apiKey, baseUrl, mode: keyMode, token, secret, signal, fetch: send },
  };
}
