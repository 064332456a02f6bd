import { expect, test } from 'vitest';
import { NotFoundError } from '../src/index.ts';
import { baseUrl, clientAnswering, failure, payment, rejection, success } from './service.ts';

test('retrieves a payment', async () => {
  const { service, requests } = clientAnswering([success(payment)]);
  expect(await service.payments.retrieve(payment.id)).toEqual(payment);
  expect(requests[0]?.method).toBe('GET');
  expect(requests[0]?.url).toBe(`${baseUrl}/payments/${payment.id}`);
});

test.each([
  '',
  '.',
  '..',
  '../balance',
  '%2e%2e',
  'pay_test_',
  'pay_test_a/..',
  'pay_test_a?x=1',
  'pay_test_a#b',
  'pay_test_a%2F',
  'pay_test_a b',
  'pay_test_ä',
  'pay_test_a\n',
  'PAY_TEST_A',
  'pay_prod_a',
  'txn_test_a',
  '{payment_id}',
  undefined,
  null,
  5,
  ['pay_test_a'],
  { toString: () => 'pay_test_a' },
])('refuses the id %o before sending', async (id) => {
  const { service, requests } = clientAnswering([success(payment)]);
  const error = await rejection(service.payments.retrieve(id as string));
  expect(error).toMatchObject({ name: 'ValidationError', outcome: 'not_sent', attempts: 0 });
  expect(String(error)).toContain('pay_test_…');
  expect(requests).toHaveLength(0);
});

test('refuses an id of the other mode before sending', async () => {
  const { service, requests } = clientAnswering([success(payment)]);
  const error = await rejection(service.payments.retrieve('pay_live_0000014Kq8ZxWb2TnVd7Rm3s'));
  expect(error).toMatchObject({ name: 'ValidationError', outcome: 'not_sent' });
  expect(String(error)).toContain('live mode and the API key of test mode');
  expect(requests).toHaveLength(0);
});

test('reads letters that arrive in pieces', async () => {
  const sent = { ...payment, beneficiary: { ...payment.beneficiary, name: 'José 株式会社 👩‍👩‍👧' } };
  const bytes = new TextEncoder().encode(JSON.stringify({ success: true, data: sent }));
  const body = new ReadableStream({
    start: (controller) => {
      for (const byte of bytes) controller.enqueue(Uint8Array.of(byte));
      controller.close();
    },
  });
  const { service } = clientAnswering([() => new Response(body)]);
  expect(await service.payments.retrieve(payment.id)).toEqual(sent);
});

test('does not take another payment for the one that was asked for', async () => {
  const { service } = clientAnswering([success({ ...payment, id: 'pay_test_other' })]);
  expect(await rejection(service.payments.retrieve(payment.id))).toMatchObject({
    name: 'UnreadableResponseError',
    outcome: 'unknown',
  });
});

test('reports a payment that does not exist', async () => {
  const { service } = clientAnswering([failure(404, 'not_found')]);
  const error = await rejection(service.payments.retrieve(payment.id));
  expect(error).toBeInstanceOf(NotFoundError);
  expect(error).toMatchObject({ type: 'not_found', status: 404, outcome: 'rejected' });
});
