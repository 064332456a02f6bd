import { WebhookError } from './errors.ts';
import type { ReceiverCode } from './errors.ts';

const MESSAGES: Record<ReceiverCode, string> = {
  body_too_large: 'The body is larger than maxBodyBytes.',
  body_unreadable:
    'The body could not be read: the connection ended, or something read it earlier. Hand over an unread Request.',
  handler_failed: 'The handler threw; its claim is released, so that the next delivery runs it again.',
  store_failed: 'The dedupe store failed, so the event was not acknowledged.',
  confirm_failed:
    'The handler succeeded but the dedupe store could not confirm it. The event is acknowledged all the same.',
  lease_overrun:
    'Another delivery claimed the event while its handler ran, so that it may have run twice. It ran longer than maxHandlerTime, or its claim could not be renewed. The event is acknowledged.',
  first_delivery_failed:
    'A duplicate waited for the first delivery, whose handler failed or whose process ended.',
  first_delivery_running: 'A duplicate waited for the first delivery until the acknowledge timeout.',
  unexpected: 'The receiver failed in a way that it does not know.',
};

/** Creates the error of a receiver's code, with what was caught as its `cause`. */
export function createFailure(code: ReceiverCode, ...[cause]: [cause?: unknown]): WebhookError {
  return new WebhookError(code, { message: MESSAGES[code], ...(cause !== undefined && { cause }) });
}
