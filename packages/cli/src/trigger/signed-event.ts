import { sign } from '@service/webhooks';

/** The kinds of forged events: a digit changed after signing, another secret, no signature. */
export const forgeries = ['tamper', 'wrong_secret', 'no_signature'] as const;

/** A kind of forged event. */
export type Forgery = (typeof forgeries)[number];

/** The headers and the body of a delivery. */
export interface SignedEvent {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * Signs a body as the service does, or forges it.
 *
 * @throws {WebhookError} with the code `unusable_secret` when the secret cannot sign.
 */
export function signEvent(body: string, secret: string, forgery?: Forgery): SignedEvent {
  const headers = { 'content-type': 'application/json', 'user-agent': 'service-webhooks/1' };
  if (forgery === 'no_signature') return { headers, body };
  const key = forgery === 'wrong_secret' ? crypto.randomUUID() : secret;
  return {
    headers: { ...headers, 'x-service-signature': sign(body, key) },
    body: forgery === 'tamper' ? changeDigit(body) : body,
  };
}

/** Changes the last digit of a body: still a valid event, but another one. */
function changeDigit(body: string): string {
  return body.replace(/\d(?=\D*$)/, (digit) => String((Number(digit) + 1) % 10));
}
