// The surroundings of the code blocks: names that a block uses and does not declare. A block gets new ones.
import { createMock, type Mock, type MockOptions } from '@service/mock';
import { createClient, InsufficientFundsError, PaymentOutcomeUnknownError } from '@service/sdk';
import { createPayer, memoryStore } from '@service/sdk/payer';
import { createReceiver, createVerifier, isValidSignature, sign, verifyEvent } from '@service/webhooks';
import { events, signedRequest } from '@service/webhooks/testing';

export {
  createClient,
  createMock,
  createPayer,
  createReceiver,
  createVerifier,
  InsufficientFundsError,
  PaymentOutcomeUnknownError,
  isValidSignature,
  sign,
  verifyEvent,
};

/** The options of the mock. A second of its clock takes a millisecond. */
const options: MockOptions = { clock: { speed: 1000 } };
export const mock: Mock = createMock(options);
export const { account } = mock;

/** Passes each request to the mock, under the key of its account. */
globalThis.fetch = async (input, init) => {
  const request = new Request(input, init);
  const { pathname, search } = new URL(request.url);
  const { origin } = new URL(mock.baseUrl);
  const headers = new Headers(request.headers);
  headers.delete('authorization');
  headers.set('x-api-key', account.testKey);
  const body = request.body === null ? null : await request.arrayBuffer();
  return mock.fetch(`${origin}${pathname}${search}`, { method: request.method, headers, body });
};
process.env['SERVICE_API_KEY'] = account.testKey;
process.env['SERVICE_BASE_URL'] = mock.baseUrl;
process.env['SERVICE_WEBHOOK_SECRET'] = 'a secret of the tests';
process.env['OLD_WEBHOOK_SECRET'] = 'an old secret of the tests';

export const client = createClient();
export const body = {
  from_currency: 'USD',
  to_currency: 'EUR',
  amount: '100.00',
  beneficiary_name: 'Acme Supplies Ltd',
  beneficiary_account: 'DE89370400440532013000',
  purpose: 'INV-2026-0042',
};
export const store = memoryStore();
export const payer = createPayer(client, { store });
export const secret = 'a secret of the tests';
export const event = events.completed();
export const receive = createReceiver({ secrets: secret, on: {} });
export const rawBody: Uint8Array = new TextEncoder().encode(JSON.stringify(event));
export const signature: string = sign(rawBody, secret);

export const lines = [{ reference: 'invoice-42', body }];
/** The application in which a block adds a route. */
export const app = { post: (_path: string, _handler: unknown): void => {} };
export const on = {};
export const fallback = (): void => {};
export const response: Response = Response.json({});
const ignore = async (..._values: readonly unknown[]): Promise<void> => {};
export const markPaid = ignore;
export const markFailed = ignore;
export const askPerson = ignore;
export const askForDeposit = ignore;
export const reconcileLater = ignore;

export const request = { body: '', headers: new Headers() };

async function signRequest(): Promise<void> {
  const signed = await signedRequest(events.completed({ data: { mode: 'live' } }), { secret });
  Object.assign(request, { body: await signed.text(), headers: signed.headers });
}
/** Resolves when a block can run. A CommonJS module has no top-level await. */
export const ready: Promise<unknown> = signRequest();
