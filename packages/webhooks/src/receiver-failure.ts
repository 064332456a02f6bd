import { WebhookError } from './errors.ts';
import type { ReceiverCode } from './errors.ts';

const messages: Record<ReceiverCode, string> = {
  body_too_large: 'The body is larger than maxBodyBytes.',
  body_unreadable:
    'The body could not be read: the connection ended, or the body was read before. Pass a Request whose body was not read.',
  handler_failed: 'The handler threw. The next delivery runs it again.',
  store_failed: 'The deduplication store failed. The event was not acknowledged, so the sender retries.',
  confirm_failed:
    'The handler succeeded, but the deduplication store failed to confirm it. The event was acknowledged.',
  lease_overrun:
    'Another delivery claimed the event while its handler ran, so the handler may have run twice: it took longer than maxHandlerTime, or its claim could not be renewed. The event was acknowledged.',
  first_delivery_failed:
    'This duplicate waited for the first delivery, whose handler failed or whose process ended.',
  first_delivery_running: 'This duplicate waited for the first delivery until acknowledgeTimeout.',
  unexpected: 'The receiver failed for an unknown reason.',
};

/** Creates the error of a receiver code. */
export function createFailure(code: ReceiverCode, ...[cause]: [cause?: unknown]): WebhookError {
  return new WebhookError(code, { message: messages[code], ...(cause !== undefined && { cause }) });
}
