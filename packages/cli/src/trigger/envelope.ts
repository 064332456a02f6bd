import { sign } from '@service/webhooks';

/** Lists how an event can be forged: a digit changed after signing, another secret, no signature. */
export const forgeries = ['tamper', 'wrong_secret', 'no_signature'] as const;

/** Names how an event is forged. */
export type Forgery = (typeof forgeries)[number];

/** Holds what is posted: the bytes of a body and the headers of the service (spec §6). */
export type Envelope = { readonly headers: Readonly<Record<string, string>>; readonly body: string };

/** Signs a body as the service does, or, to see a receiver refuse it, as a forger would. Throws `unusable_secret`. */
export function seal(body: string, secret: string, forgery?: Forgery): Envelope {
  const headers = { 'content-type': 'application/json', 'user-agent': 'service-webhooks/1' };
  if (forgery === 'no_signature') return { headers, body };
  const key = forgery === 'wrong_secret' ? crypto.randomUUID() : secret;
  return {
    headers: { ...headers, 'x-service-signature': sign(body, key) },
    body: forgery === 'tamper' ? changeDigit(body) : body,
  };
}

/** Changes the last digit of a body, so that it still reads as an event, but as another one. */
function changeDigit(body: string): string {
  return body.replace(/\d(?=\D*$)/, (digit) => String((Number(digit) + 1) % 10));
}
