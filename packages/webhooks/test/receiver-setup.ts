import { vi } from 'vitest';
import type { ReceiverOptions, WebhookError, WebhookEvent } from '@service/webhooks/edge';
import type { Implementation } from './implementations.ts';
import { createDelivery, SECRET, writeEvent } from './samples.ts';

/** Creates a receiver with recorded handlers and errors. */
export function setUpReceiver(
  createReceiver: Implementation['createReceiver'],
  options: Partial<ReceiverOptions> = {},
) {
  const completed = vi.fn<(event: WebhookEvent) => unknown>();
  const fallback = vi.fn<(event: WebhookEvent) => unknown>();
  const failures: WebhookError[] = [];
  const errors: (readonly [code: string, event: string | undefined])[] = [];
  const onError = (error: WebhookError, event: WebhookEvent | undefined) => {
    failures.push(error);
    errors.push([error.code, event?.event]);
  };
  const on = { 'payment.completed': completed };
  const receive = createReceiver({ secrets: SECRET, on, fallback, onError, ...options });
  const send = async (
    body: string | Uint8Array<ArrayBuffer> = writeEvent(),
    headers: Record<string, string> = {},
  ) => (await receive(await createDelivery(body, headers))).status;
  return { receive, send, completed, fallback, failures, errors };
}
