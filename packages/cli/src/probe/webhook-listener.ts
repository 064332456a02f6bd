import type { WebhookResponse, WebhookRequest } from '@service/webhooks';
import { systemClock } from '../clock.ts';
import { createInspect } from '../listen/inspect.ts';
import { startWebhookServer } from '../listen/server.ts';
import { type TemporaryEndpoint, setTemporaryEndpoint } from '../sandbox/temporary-endpoint.ts';
import type { Session } from '../session.ts';
import { requireSecret } from '../signing-secret.ts';
import { createWebhookRecorder, type WebhookRecorder } from './webhook-recorder.ts';

/**
 * The source of the webhooks: a mock whose endpoint is set to this process, or a service whose endpoint
 * points to a local port.
 */
export interface WebhookListenerOptions {
  readonly key: string;
  readonly sandbox: boolean;
  /** The local port that the endpoint of the service points to. */
  readonly listen: number | undefined;
  readonly secretFile: string | undefined;
}

/** A running webhook listener. */
export interface WebhookListener {
  readonly recorder: WebhookRecorder | undefined;
  readonly close: () => Promise<void>;
}

/**
 * Starts a webhook listener if the options request one.
 *
 * @throws {UsageError} when the port or the secret cannot be used.
 * @throws {ControlError} when the mock rejects the endpoint.
 */
export async function startWebhookListener(
  session: Session,
  options: WebhookListenerOptions,
): Promise<WebhookListener> {
  const { key, sandbox, listen, secretFile } = options;
  if (!sandbox && listen === undefined) return { recorder: undefined, close: async () => {} };
  const { note } = session.output;
  const { promise: handlerReady, resolve: setHandler } =
    Promise.withResolvers<(delivery: WebhookRequest) => Promise<WebhookResponse>>();
  const server = await startWebhookServer({
    port: listen ?? 0,
    host: '127.0.0.1',
    advice: 'The endpoint of the service points to this port, so stop the process that uses it.',
    path: undefined,
    note,
    deliver: async (delivery) => (await handlerReady)(delivery),
  });
  let endpoint: TemporaryEndpoint | undefined;
  const close = async (): Promise<void> => {
    await server.close();
    await endpoint?.restore();
  };
  try {
    if (sandbox) endpoint = await setTemporaryEndpoint(session, { key, url: server.url, secret: undefined });
    const secret = endpoint?.secret ?? (await requireSecret(session, secretFile));
    const { clock = systemClock } = session.environment;
    const recorder = createWebhookRecorder(clock.now);
    setHandler(createDeliveryHandler(secret, recorder, note));
    note(`Listening for webhooks at ${server.url.href}.`);
    return { recorder, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Creates the handler of deliveries. The recorder receives valid deliveries and determines the response. */
function createDeliveryHandler(
  secret: string,
  recorder: WebhookRecorder,
  note: (line: string) => void,
): (delivery: WebhookRequest) => Promise<WebhookResponse> {
  const inspect = createInspect({
    secrets: secret,
    onWarning: ({ message }) => note(`warning: ${message}`),
  });
  return async (delivery) => {
    const { event, body, error, answer } = await inspect(delivery);
    if (error !== undefined) {
      recorder.countRejected();
      note(`Rejected a webhook: ${error.message}`);
    }
    if (event === undefined || body === undefined) return answer;
    return { ...answer, status: recorder.take(body), body: '' };
  };
}
