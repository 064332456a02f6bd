import { describe, expect, test } from 'vitest';
import { NotFoundError } from '../src/index.ts';
import { createManualClock } from './manual-clock.ts';
import { baseUrl, clientAnswering, failure, payment, paymentInput, rejection, success } from './service.ts';

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

describe('payments.retrieve within the read lag', () => {
  const missing = failure(404, 'not_found');

  /** Creates the payment, then retrieves it; the answers are those of the reads. */
  async function createAndRetrieve(answers: Parameters<typeof clientAnswering>[0], options: object = {}) {
    const clock = createManualClock();
    const { service, requests } = clientAnswering([success(payment), ...answers], options, clock);
    await service.payments.create(paymentInput);
    const retrieve = (callOptions?: object): ReturnType<typeof service.payments.retrieve> => {
      const call = service.payments.retrieve(payment.id, callOptions);
      call.catch(() => {});
      return call;
    };
    return { clock, requests, retrieve };
  }

  test('retries a 404 for a payment that this client created', async () => {
    const { clock, requests, retrieve } = await createAndRetrieve([missing, missing, success(payment)]);
    const found = retrieve().withResponse();
    await clock.advance(300);
    expect(await found).toMatchObject({ data: { id: payment.id }, attempts: 3 });
    expect(requests).toHaveLength(4);
  });

  test('gives up 10 s after the create, with a request that was sent then', async () => {
    const { clock, requests, retrieve } = await createAndRetrieve([missing]);
    await clock.advance(4_000);
    const failed = rejection(retrieve());
    await clock.advance(5_999);
    const before = requests.length;
    await clock.advance(1);
    expect(await failed).toMatchObject({ name: 'NotFoundError', outcome: 'rejected' });
    expect(requests).toHaveLength(before + 1);
    expect(await rejection(retrieve())).toMatchObject({ name: 'NotFoundError', attempts: 1 });
    expect(clock.pending()).toBe(0);
  });

  test('leaves the retries of other failures to maxRetries', async () => {
    const broken = failure(503, 'server_error');
    const answers = [missing, broken, missing, broken, success(payment)];
    const { clock, retrieve } = await createAndRetrieve(answers, { maxRetries: 1 });
    const failed = rejection(retrieve());
    await clock.advance(10_000);
    expect(await failed).toMatchObject({ name: 'ServerError', attempts: 4 });
  });

  test.each([
    ['the total time of the call', {}, { totalTimeout: 1_000 }, 4],
    ['a Retry-After beyond it', { 'retry-after': '11' }, {}, 1],
  ])('ends with %s', async (_, headers, callOptions, attempts) => {
    const { clock, retrieve } = await createAndRetrieve([failure(404, 'not_found', headers)]);
    const failed = rejection(retrieve(callOptions));
    await clock.advance(1_000);
    expect(await failed).toMatchObject({ name: 'NotFoundError', attempts });
    expect(clock.pending()).toBe(0);
  });

  test('waits as long as Retry-After asks', async () => {
    const later = failure(404, 'not_found', { 'retry-after': '2' });
    const { clock, requests, retrieve } = await createAndRetrieve([later, success(payment)]);
    const found = retrieve();
    await clock.advance(1_999);
    expect(requests).toHaveLength(2);
    await clock.advance(1);
    expect(await found).toMatchObject({ id: payment.id });
  });

  test.each([
    ['is turned off by 0', { readLag: 0 }, missing],
    ['takes a 404 of a proxy for what it is', {}, new Response('<h1>Not found</h1>', { status: 404 })],
  ])('%s', async (_, options, answer) => {
    const { requests, retrieve } = await createAndRetrieve([answer], options);
    expect(await rejection(retrieve())).toMatchObject({ name: 'NotFoundError' });
    expect(requests).toHaveLength(2);
  });

  test('believes a 404 for a payment that this client did not create', async () => {
    const { service, requests } = clientAnswering([missing]);
    expect(await rejection(service.payments.retrieve(payment.id))).toMatchObject({ name: 'NotFoundError' });
    expect(requests).toHaveLength(1);
  });

  test('retries a 404 for the id that the broken answer of a create still showed', async () => {
    const clock = createManualClock();
    const cut = new Response(`{"success":true,"data":{"id":"${payment.id}","sta`);
    const { service } = clientAnswering([cut, missing, success(payment)], {}, clock);
    const error = await rejection(service.payments.create(paymentInput));
    expect(error).toMatchObject({ outcome: 'unknown', salvagedId: payment.id });
    const found = service.payments.retrieve(payment.id);
    await clock.advance(100);
    expect(await found).toMatchObject({ id: payment.id });
  });

  test('remembers the last 1,000 payments of a client', async () => {
    const clock = createManualClock();
    const ids = Array.from({ length: 1_001 }, (_, index) => `pay_test_${index}`);
    const answers = ids.map((id) => success({ ...payment, id }));
    const { service, requests } = clientAnswering([...answers, missing], {}, clock);
    for (const _ of ids) await service.payments.create(paymentInput);
    expect(await rejection(service.payments.retrieve('pay_test_0'))).toMatchObject({ attempts: 1 });
    void service.payments.retrieve('pay_test_1').catch(() => {});
    await clock.advance(100);
    expect(requests).toHaveLength(1_001 + 1 + 2);
    await clock.advance(20_000);
  });
});
