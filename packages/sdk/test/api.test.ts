import { expect, test, vi } from 'vitest';
import { createManualClock } from './manual-clock.ts';
import {
  clientAnswering,
  failure,
  json,
  payment,
  paymentInput,
  rejection,
  success,
  testKey,
} from './service.ts';

const balance = { balances: [] };

test('calls an operation directly, with the key and the checks of the transport', async () => {
  const { service, requests } = clientAnswering([success(balance)]);
  const { data, response } = await service.api.GET('/balance');
  expect(data).toEqual({ success: true, mode: 'test', data: balance });
  expect(response.headers.get('x-request-id')).toBe('req_1');
  expect(requests[0]?.headers.get('authorization')).toBe(`Bearer ${testKey}`);
  expect(requests[0]?.redirect).toBe('manual');
});

test('returns errors of the service as openapi-fetch does', async () => {
  const { service } = clientAnswering([failure(422, 'insufficient_funds')]);
  const { data, error } = await service.api.POST('/payments', { body: { ...paymentInput, amount: 1 } });
  expect(data).toBe(undefined);
  expect(error).toMatchObject({ error: { type: 'insufficient_funds' } });
});

test.each(['..', '.', '', '../balance', 'pay_test_a/../x', 'pay_live_a'])(
  'refuses the path parameter %o',
  async (payment_id) => {
    const { service, requests } = clientAnswering([success(payment)]);
    const call = service.api.GET('/payments/{payment_id}', { params: { path: { payment_id } } });
    expect(await rejection(call)).toMatchObject({ name: 'ValidationError', outcome: 'not_sent' });
    expect(requests).toHaveLength(0);
  },
);

test('refuses a path parameter that is missing', async () => {
  const { service, requests } = clientAnswering([success(payment)]);
  const call = service.api.GET('/payments/{payment_id}', {} as never);
  expect(await rejection(call)).toMatchObject({ name: 'ValidationError', outcome: 'not_sent' });
  expect(requests).toHaveLength(0);
});

test('takes the key to no other address', async () => {
  const { service, requests } = clientAnswering([success(balance)]);
  for (const baseUrl of [
    'https://evil.example',
    'http://localhost:4010/api/v1/../v2',
    'http://localhost:4010/api',
  ]) {
    expect(await rejection(service.api.GET('/balance', { baseUrl }))).toMatchObject({ outcome: 'not_sent' });
  }
  const elsewhere = service.api.GET('/keys' as '/balance');
  expect(await rejection(elsewhere)).toMatchObject({ name: 'ValidationError', outcome: 'not_sent' });
  const crooked = service.api.GET('/payments/{payment_id}', {
    params: { path: { payment_id: payment.id } },
    pathSerializer: () => 'http://localhost:4010/api/v1/payments/..',
  });
  expect(await rejection(crooked)).toMatchObject({ outcome: 'not_sent' });
  expect(requests).toHaveLength(0);
});

test('sends one key, whatever headers are given', async () => {
  const headers = { Authorization: 'Bearer other', 'X-API-Key': 'other' };
  for (const [auth, sent] of [
    ['bearer', [`Bearer ${testKey}`, null]],
    ['x-api-key', [null, testKey]],
  ] as const) {
    const { service, requests } = clientAnswering([success(balance)], { auth });
    await service.api.GET('/balance', { headers });
    expect(['authorization', 'x-api-key'].map((name) => requests[0]?.headers.get(name))).toEqual(sent);
  }
});

test('follows no redirect, also when told to', async () => {
  const { service, requests } = clientAnswering([Response.redirect('https://evil.example/x', 307)]);
  const call = service.api.GET('/balance', { redirect: 'follow' });
  expect(await rejection(call)).toMatchObject({ name: 'UnreadableResponseError', status: 307 });
  expect(requests[0]?.redirect).toBe('manual');
});

test('refuses an answer of the other mode', async () => {
  const { service } = clientAnswering([json({ success: true, mode: 'live', data: balance })]);
  expect(await rejection(service.api.GET('/balance'))).toMatchObject({ name: 'ModeMismatchError' });
});

test('ends at its timeout and at its signal', async () => {
  const clock = createManualClock();
  const { service } = clientAnswering([() => new Promise<Response>(() => {})], { timeout: 100 }, clock);
  const late = rejection(service.api.GET('/balance'));
  await clock.advance(100);
  expect(await late).toMatchObject({ name: 'TimeoutError', outcome: 'unknown' });
  const controller = new AbortController();
  const aborted = service.api.GET('/balance', { signal: controller.signal });
  controller.abort();
  expect(await rejection(aborted)).toMatchObject({ name: 'AbortError' });
});

test('keeps its middleware to itself, and shows it no key', async () => {
  const { service } = clientAnswering([success(balance)]);
  const onRequest = vi.fn<(call: { request: Request }) => void>(({ request }) => {
    expect(request.headers.has('authorization')).toBe(false);
  });
  service.api.use({ onRequest });
  await service.balance.retrieve();
  expect(onRequest).toHaveBeenCalledTimes(0);
  await service.api.GET('/balance');
  expect(onRequest).toHaveBeenCalledTimes(1);
});
