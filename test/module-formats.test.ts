// Mixes the ESM and the CommonJS files of the client, as a program does that imports it beside a library that requires it.
// Requires a build.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { createMock } from '@service/mock';
import type { PaymentOutcomeUnknownError } from '@service/sdk';
import { order } from './support/order.ts';

interface Copy {
  readonly sdk: typeof import('@service/sdk');
  readonly payers: typeof import('@service/sdk/payer');
}

const dist = join(import.meta.dirname, '../packages/sdk/dist');
const load = (name: string): Promise<unknown> =>
  import(/* @vite-ignore */ pathToFileURL(join(dist, `${name}.js`)).href);
const require = createRequire(import.meta.url);
const esm = {
  sdk: await load('index'),
  payers: await load('payer'),
} as Copy;
const commonJs = {
  sdk: require(join(dist, 'index.cjs')),
  payers: require(join(dist, 'payer.cjs')),
} as Copy;

describe.each([
  ['ESM', 'CommonJS', esm, commonJs],
  ['CommonJS', 'ESM', commonJs, esm],
])('the %s copy with a client of the %s copy', (_, __, { sdk, payers }, other) => {
  const open = () => {
    const mock = createMock({ clock: 'real' });
    const { testKey: apiKey } = mock.account;
    const { baseUrl, fetch } = mock;
    return { mock, client: other.sdk.createClient({ apiKey, baseUrl, fetch, readLag: 0, maxRetries: 0 }) };
  };
  const loseResponse = async ({ mock, client }: ReturnType<typeof open>) => {
    mock.sandbox.faults.inject({ kind: 'reset_after_commit', operation: 'createPayment' });
    return client.payments.create(order).then(
      () => expect.fail('the create must have an unknown outcome'),
      (error: PaymentOutcomeUnknownError) => error,
    );
  };

  it('recognizes errors by instanceof, and reads exact amounts', async () => {
    const { mock, client } = open();
    const missing: unknown = await client.payments
      .retrieve(`pay_test_${'0'.repeat(24)}`)
      .catch((error: unknown) => error);
    expect(Object.getPrototypeOf(missing)).not.toBe(sdk.NotFoundError.prototype);
    expect(missing instanceof sdk.ServiceError).toBe(true);
    expect(missing instanceof sdk.NotFoundError).toBe(true);
    expect(missing instanceof sdk.ConnectionError).toBe(false);
    const unknown = await loseResponse({ mock, client });
    expect(unknown instanceof sdk.PaymentOutcomeUnknownError).toBe(true);
    const payment = await client.payments.create(order);
    expect(sdk.rawAmount(payment, 'send_amount')).toBe(other.sdk.rawAmount(payment, 'send_amount'));
    expect(sdk.rawAmount(payment, 'send_amount')).toMatch(/^100/);
  });

  it('pays once per reference with createPayer, and reconciles an unknown outcome', async () => {
    const { mock, client } = open();
    const payer = payers.createPayer(client, { store: other.payers.memoryStore() });
    await payer.plan('order-1', order);
    mock.sandbox.faults.inject({ kind: 'reset_after_commit', operation: 'createPayment' });
    const states: string[] = [];
    for await (const { state } of payer.run()) states.push(state);
    for await (const { state } of payer.run()) states.push(state);
    expect(states.at(-1)).toBe('created');
    await payer.pay('order-1', order);
    expect(mock.sandbox.requests.list({ operation: 'createPayment' })).toHaveLength(1);
  });
});
