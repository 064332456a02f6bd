import type { WebhookErrorCode } from '../errors.ts';

/**
 * Creates a refusal that a receiver takes for a `WebhookError`, without the weight of that class, and where the
 * message is left out of its text, in every adapter.
 */
export function createRefusal(code: WebhookErrorCode, message: string = '', cause?: unknown): Error {
  return Object.assign(new Error(message, { cause }), { name: 'WebhookError', code });
}

/** Creates the refusal of a body whose raw bytes something else has eaten, with the framework's own fix. */
export function refuseParsed(fix: string): Error {
  return createRefusal('body_not_raw', `Something read the raw body before the receiver. ${fix}`);
}
