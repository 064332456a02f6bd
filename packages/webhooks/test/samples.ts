export const SECRET = '9f2c61d0a1b34e7788c05d6e4f3a2b1c9f2c61d0a1b34e7788c05d6e4f3a2b1c';
export const OTHER_SECRET = 'another-signing-secret-of-the-same-account';

/** Returns the body of an event as the service sends it, with replaced parts. */
export function writeEvent({
  data = {},
  ...event
}: Record<string, unknown> & { data?: object } = {}): string {
  return JSON.stringify({
    event: 'payment.completed',
    created_at: '2026-01-31T12:00:00+00:00',
    ...event,
    data: {
      id: 'pay_test_4Zs81kQ0vYw2',
      status: 'completed',
      from_currency: 'USD',
      to_currency: 'EUR',
      send_amount: 1000.5,
      receive_amount: 916.69,
      mode: 'test',
      ...data,
    },
  });
}

/** Returns a payment as the client returns it, with replaced parts. */
export function createPayment(parts: object = {}) {
  return {
    id: 'pay_test_4Zs81kQ0vYw2',
    status: 'completed',
    from_currency: 'USD',
    to_currency: 'EUR',
    send_amount: 1000.5,
    rate: 0.9162,
    receive_amount: 916.69,
    beneficiary: { name: 'Acme Supplies Ltd' },
    purpose: null,
    created_at: '2026-01-31T11:00:00+00:00',
    ...parts,
  };
}

export function encode(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}

export function fromHex(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(text.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));
}

export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}

/** Signs with WebCrypto, independent of the code under test. */
export async function signByOracle(
  body: string | Uint8Array<ArrayBuffer>,
  secret: string | Uint8Array<ArrayBuffer> = SECRET,
): Promise<string> {
  const [data, raw] = [body, secret].map((part) => (typeof part === 'string' ? encode(part) : part));
  const key = await crypto.subtle.importKey('raw', raw!, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
  const digest = new Uint8Array(await crypto.subtle.sign('HMAC', key, data!));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Creates a delivery as the service sends it. */
export async function createDelivery(
  body: string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = {},
): Promise<Request> {
  const signature = await signByOracle(body);
  return new Request('https://shop.example/webhooks', {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', 'x-service-signature': signature, ...headers },
  });
}

/** Returns the rejection of a promise. Throws if it resolves. */
export async function rejectionOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => {
      throw new Error('expected a rejection');
    },
    (error: unknown) => error,
  );
}

/** Returns the error of a function. Throws if there is none. */
export function thrownBy(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  throw new Error('expected a throw');
}
