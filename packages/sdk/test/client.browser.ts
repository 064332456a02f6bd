import { describe, expect, it } from 'vitest';
import { createClient, PaymentOutcomeUnknownError } from '../src/index.ts';
import { paymentInput, catchRejection, testKey } from './service.ts';

const baseUrl = `${location.origin}/api/v1`;

describe('a client in a browser', () => {
  it('rejects a response that is not of the service, through the global fetch', async () => {
    const client = createClient({ apiKey: testKey, baseUrl, allowBrowser: true });
    const error = await catchRejection(client.payments.create(paymentInput));
    expect(error).toBeInstanceOf(PaymentOutcomeUnknownError);
    expect(error).toMatchObject({ phase: 'responded', attempts: 1, cause: { outcome: 'unknown' } });
  });

  it('reports an unknown outcome when the browser names no cause', async () => {
    const client = createClient({
      apiKey: testKey,
      baseUrl: 'http://127.0.0.1:9/api/v1',
      allowBrowser: true,
    });
    expect(await catchRejection(client.payments.create(paymentInput))).toMatchObject({
      name: 'PaymentOutcomeUnknownError',
      phase: 'waiting',
      cause: { name: 'ConnectionError' },
    });
  });
});
