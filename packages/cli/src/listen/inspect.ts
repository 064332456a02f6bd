import {
  type WebhookResponse,
  createReceiver,
  type WebhookRequest,
  type VerifierOptions,
  type WebhookError,
  type WebhookEvent,
} from '@service/webhooks';
import type { Hint } from '@service/webhooks/testing';

/** A delivery with its verified event or its error. It has neither if the method is not POST. */
export interface Inspection {
  readonly method: string;
  readonly headers: WebhookRequest['headers'];
  /** The raw body. Undefined if it was not read completely. */
  readonly body: Uint8Array | undefined;
  readonly event: WebhookEvent | undefined;
  readonly error: WebhookError | undefined;
  /** The response of a receiver of `@service/webhooks`. */
  readonly answer: WebhookResponse;
}

/** Verifies one delivery in the same way as a receiver. */
export type Inspect = (delivery: WebhookRequest) => Promise<Inspection>;

const ignore = (): void => {};

/**
 * Creates a function that verifies deliveries. It does not deduplicate them.
 *
 * @throws {WebhookError} when the secret cannot be used.
 */
export function createInspect(options: VerifierOptions): Inspect {
  // Validates the secret once, before the first delivery.
  createReceiver({ ...options, on: {}, fallback: ignore });
  return async ({ method, headers, read }) => {
    let event: WebhookEvent | undefined;
    let error: WebhookError | undefined;
    let body: Uint8Array | undefined;
    // A new receiver per delivery has an empty deduplication store, so it accepts retries.
    const receive = createReceiver({
      ...options,
      onWarning: ignore,
      on: {},
      fallback: (given) => (event = given),
      onError: (given) => (error = given),
    });
    const readAndKeep: WebhookRequest['read'] = async (maxBytes, onTooLarge) => {
      // The adapter of node:http returns bytes.
      body = (await read(maxBytes, onTooLarge)) as Uint8Array;
      return body;
    };
    const answer = await receive.deliver({ method, headers, read: readAndKeep });
    return { method, headers, body, event, error, answer };
  };
}

/** Returns the probable causes of a rejected delivery. */
export type Explain = (inspection: Inspection) => Promise<readonly Hint[]>;

/**
 * Creates a function that explains rejected deliveries.
 *
 * @throws {WebhookError} when the secret cannot be used, or in production.
 */
export async function createExplain(options: VerifierOptions): Promise<Explain> {
  const { explain } = await import('@service/webhooks/testing');
  const quiet = { ...options, onWarning: ignore };
  await explain('', '', quiet);
  return async ({ body, headers }) => (body === undefined ? [] : (await explain(body, headers, quiet)).hints);
}
