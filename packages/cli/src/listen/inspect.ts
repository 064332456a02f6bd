import {
  type Answer,
  createReceiver,
  type Delivery,
  type VerifierOptions,
  type WebhookError,
  type WebhookEvent,
} from '@service/webhooks';
import type { Hint } from '@service/webhooks/testing';

/** Holds what came of one delivery: a genuine event, or the error that refuses it; neither where it was no POST. */
export type Inspection = {
  readonly method: string;
  readonly headers: Delivery['headers'];
  /** Holds the raw body, where it was read to its end. */
  readonly body: Uint8Array | undefined;
  readonly event: WebhookEvent | undefined;
  readonly error: WebhookError | undefined;
  /** Is what a receiver answers. */
  readonly answer: Answer;
};

/** Looks at one delivery as a receiver does. */
export type Inspect = (delivery: Delivery) => Promise<Inspection>;

const ignore = (): void => {};

/** Creates what looks at deliveries; each is told, one that is repeated too. Throws WebhookError for an unusable secret. */
export function createInspect(options: VerifierOptions): Inspect {
  // So that what is wrong with the secret is told before anybody is let in, and once.
  createReceiver({ ...options, on: {}, fallback: ignore });
  return async ({ method, headers, read }) => {
    let event: WebhookEvent | undefined;
    let error: WebhookError | undefined;
    let body: Uint8Array | undefined;
    // One for each delivery: its memory of what it has handled is empty, so that a retry is seen as well.
    const receive = createReceiver({
      ...options,
      onWarning: ignore,
      on: {},
      fallback: (given) => (event = given),
      onError: (given) => (error = given),
    });
    const tap: Delivery['read'] = async (maxBytes, refuse) => {
      // The adapter of node:http reads bytes.
      body = (await read(maxBytes, refuse)) as Uint8Array;
      return body;
    };
    const answer = await receive.deliver({ method, headers, read: tap });
    return { method, headers, body, event, error, answer };
  };
}

/** Finds out what is probably wrong with a delivery that was refused. */
export type Explain = (seen: Inspection) => Promise<readonly Hint[]>;

/** Creates what explains refusals. Rejects with WebhookError for an unusable secret, and in production. */
export async function createExplain(options: VerifierOptions): Promise<Explain> {
  const { explain } = await import('@service/webhooks/testing');
  const quiet = { ...options, onWarning: ignore };
  await explain('', '', quiet);
  return async ({ body, headers }) => (body === undefined ? [] : (await explain(body, headers, quiet)).hints);
}
