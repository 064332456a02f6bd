/**
 * Receives the webhooks of a run, and records the traffic of an application, with `node:http`.
 *
 * @module
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { closeServer, listenAt, readAll } from '@service/internal';
import { createVerifier, type Secrets, type VerifierOptions, type WebhookError } from '@service/webhooks';
import type { WebhookSource } from './recorder.ts';

export * from './record/index.ts';

/** Port, signing secret and callbacks of the listener. */
export interface ListenForWebhooksOptions {
  /**
   * The port to listen on; 0 for any free port.
   *
   * @default 0
   */
  readonly port?: number | undefined;
  /**
   * The address to listen on.
   *
   * @default '127.0.0.1'
   */
  readonly host?: string | undefined;
  /**
   * The signing secret of the endpoint, or a function that returns it. The function gets the URL of the
   * listener, so that it can set the endpoint of the service to it.
   */
  readonly secret: Secrets | ((url: URL) => Secrets | Promise<Secrets>);
  /** Called when the listener is ready. */
  readonly onListening?: ((url: URL) => void) | undefined;
  /** Called for each webhook that is rejected. */
  readonly onRejected?: ((error: WebhookError) => void) | undefined;
  /** Called for problems that do not reject a webhook, such as a short secret. */
  readonly onWarning?: VerifierOptions['onWarning'];
}

/**
 * Creates a source of webhooks that listens on a port for the time of a run. It verifies each webhook.
 *
 * @example await probe(connection, { webhooks: listenForWebhooks({ port: 8787, secret }) });
 */
export function listenForWebhooks(options: ListenForWebhooksOptions): WebhookSource {
  return async (sink) => {
    const { port = 0, host = '127.0.0.1', secret, onListening, onRejected, onWarning } = options;
    const receive = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
      // The first webhooks can arrive before the secret is known.
      const { verify } = await verifier;
      const { bytes, isWhole } = await readAll(incoming, MAX_BYTES);
      try {
        verify(isWhole ? bytes : '', new Headers(incoming.headers as Record<string, string>));
      } catch (error) {
        onRejected?.(error as WebhookError);
        outgoing.writeHead(401, { connection: 'close' }).end();
        return;
      }
      outgoing.writeHead(sink.record(bytes)).end();
    };
    const server = createServer({ headersTimeout: 10_000, requestTimeout: 30_000 }, (incoming, outgoing) => {
      void receive(incoming, outgoing).catch(() => outgoing.destroy());
    });
    const verifier = listenAt(server, port, host).then(async (url) => {
      const secrets = typeof secret === 'function' ? await secret(url) : secret;
      const created = createVerifier({ secrets, onWarning });
      onListening?.(url);
      return created;
    });
    await verifier.catch(async (error: unknown) => {
      await closeServer(server);
      throw error;
    });
    return () => closeServer(server);
  };
}

/** The size up to which a webhook is read, in bytes. */
const MAX_BYTES = 1_048_576;
