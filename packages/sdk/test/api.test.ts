import { describe, expect, it, vi } from 'vitest';
import { createApi } from '../src/api.ts';
import { ConfigurationError } from '../src/index.ts';
import { createManualClock } from './manual-clock.ts';
import {
  createStubClient,
  failure,
  payment,
  paymentInput,
  catchRejection,
  expectRefused,
  success,
  testKey,
} from './service.ts';

const balance = { balances: [] };

describe('createApi', () => {
  it('calls an operation with the API key and the checks of the transport', async () => {
    const { client, requests } = createStubClient([success(balance)]);
    const { data, response } = await createApi(client).GET('/balance');
    expect(data).toEqual({ success: true, mode: 'test', data: balance });
    expect(response.headers.get('x-request-id')).toBe('req_1');
    expect(requests[0]?.headers.get('authorization')).toBe(`Bearer ${testKey}`);
    expect(requests[0]?.redirect).toBe('manual');
  });

  it('returns errors of the service as openapi-fetch does', async () => {
    const { client } = createStubClient([failure(422, 'insufficient_funds')]);
    const { data, error } = await createApi(client).POST('/payments', {
      body: { ...paymentInput, amount: 1 },
    });
    expect(data).toBe(undefined);
    expect(error).toMatchObject({ error: { type: 'insufficient_funds' } });
  });

  it('rejects an invalid or missing path parameter', async () => {
    const invalid = ['..', '.', '', '../balance', 'pay_test_a/../x', 'pay_live_a'];
    const options = invalid.map((payment_id) => ({ params: { path: { payment_id } } }));
    await expectRefused(
      (client, given) => createApi(client).GET('/payments/{payment_id}', given),
      [...options, {}].map((given) => [given, ''] as const),
    );
  });

  it('sends the API key to no other address', async () => {
    const { client, requests } = createStubClient([success(balance)]);
    for (const baseUrl of [
      'https://evil.example',
      'http://localhost:4010/api/v1/../v2',
      'http://localhost:4010/api',
    ]) {
      expect(await catchRejection(createApi(client).GET('/balance', { baseUrl }))).toMatchObject({
        outcome: 'not_sent',
      });
    }
    const elsewhere = createApi(client).GET('/keys' as '/balance');
    expect(await catchRejection(elsewhere)).toMatchObject({ name: 'ValidationError', outcome: 'not_sent' });
    const crooked = createApi(client).GET('/payments/{payment_id}', {
      params: { path: { payment_id: payment.id } },
      pathSerializer: () => 'http://localhost:4010/api/v1/payments/..',
    });
    expect(await catchRejection(crooked)).toMatchObject({ outcome: 'not_sent' });
    expect(requests).toHaveLength(0);
  });

  it('sends one API key, regardless of the given headers', async () => {
    const headers = { Authorization: 'Bearer other', 'X-API-Key': 'other' };
    const { client, requests } = createStubClient([success(balance)]);
    await createApi(client).GET('/balance', { headers });
    expect(['authorization', 'x-api-key'].map((name) => requests[0]?.headers.get(name))).toEqual([
      `Bearer ${testKey}`,
      null,
    ]);
  });

  it("follows no redirect, even with redirect: 'follow'", async () => {
    const { client, requests } = createStubClient([Response.redirect('https://evil.example/x', 307)]);
    const call = createApi(client).GET('/balance', { redirect: 'follow' });
    expect(await catchRejection(call)).toMatchObject({ name: 'UnreadableResponseError', status: 307 });
    expect(requests[0]?.redirect).toBe('manual');
  });

  it('ends at its timeout and when its signal is aborted', async () => {
    const clock = createManualClock();
    const { client } = createStubClient([() => new Promise<Response>(() => {})], { timeout: 100 }, clock);
    const late = catchRejection(createApi(client).GET('/balance'));
    await clock.advance(100);
    expect(await late).toMatchObject({ name: 'TimeoutError', outcome: 'unknown' });
    const controller = new AbortController();
    const aborted = createApi(client).GET('/balance', { signal: controller.signal });
    controller.abort();
    expect(await catchRejection(aborted)).toMatchObject({ name: 'AbortError' });
  });

  it('does not share middleware and hides the API key from it', async () => {
    const { client } = createStubClient([success(balance)]);
    const onRequest = vi.fn<(call: { request: Request }) => void>(({ request }) => {
      expect(request.headers.has('authorization')).toBe(false);
    });
    const api = createApi(client);
    api.use({ onRequest });
    await client.balance.retrieve();
    await createApi(client).GET('/balance');
    expect(onRequest).toHaveBeenCalledTimes(0);
    await api.GET('/balance');
    expect(onRequest).toHaveBeenCalledTimes(1);
  });

  it.each([
    ['a copy of a client', (client: object) => ({ ...client })],
    ['null', () => null],
    ['an object', () => ({})],
  ])('rejects %s as its argument', (_, change) => {
    const { client } = createStubClient([]);
    expect(() => createApi(change(client) as never)).toThrow(ConfigurationError);
  });
});
