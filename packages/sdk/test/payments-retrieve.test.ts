import { describe, expect, it } from 'vitest';
import { createManualClock } from './manual-clock.ts';
import {
  createStubClient,
  failure,
  payment,
  paymentInput,
  catchRejection,
  expectRefused,
  success,
} from './service.ts';

describe('payments.retrieve', () => {
  it('rejects an invalid id, and one of the other mode, before sending', async () => {
    const invalid = [
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
    ];
    await expectRefused(
      (client, id) => client.payments.retrieve(id),
      [
        ...invalid.map((id) => [id, 'pay_test_…'] as const),
        ['pay_live_0000014Kq8ZxWb2TnVd7Rm3s', 'live mode, but the API key is in test mode'],
      ],
    );
  });

  it('decodes characters that are split over chunks', async () => {
    const sent = { ...payment, beneficiary: { ...payment.beneficiary, name: 'José 株式会社 👩‍👩‍👧' } };
    const bytes = new TextEncoder().encode(JSON.stringify({ success: true, data: sent }));
    const body = new ReadableStream({
      start: (controller) => {
        for (const byte of bytes) controller.enqueue(Uint8Array.of(byte));
        controller.close();
      },
    });
    const { client } = createStubClient([() => new Response(body)]);
    expect(await client.payments.retrieve(payment.id)).toEqual(sent);
  });

  it('rejects a response with another payment', async () => {
    const { client } = createStubClient([success({ ...payment, id: 'pay_test_other' })]);
    expect(await catchRejection(client.payments.retrieve(payment.id))).toMatchObject({
      name: 'UnreadableResponseError',
      outcome: 'unknown',
    });
  });
});

describe('payments.retrieve within the read lag', () => {
  const missing = failure(404, 'not_found');

  /** Creates the payment, then retrieves it; `responses` are those to the reads. */
  async function createAndRetrieve(responses: Parameters<typeof createStubClient>[0], options: object = {}) {
    const clock = createManualClock();
    const { client, requests } = createStubClient([success(payment), ...responses], options, clock);
    await client.payments.create(paymentInput);
    const retrieve = (callOptions?: object): ReturnType<typeof client.payments.retrieve> => {
      const call = client.payments.retrieve(payment.id, callOptions);
      call.catch(() => {});
      return call;
    };
    return { clock, requests, retrieve };
  }

  it('retries a 404 for a payment that this client created', async () => {
    const { clock, requests, retrieve } = await createAndRetrieve([missing, missing, success(payment)]);
    const found = retrieve().withResponse();
    await clock.advance(300);
    expect(await found).toMatchObject({ data: { id: payment.id }, attempts: 3 });
    expect(requests).toHaveLength(4);
  });

  it('ends 10 s after the create, with a request at that time', async () => {
    const { clock, requests, retrieve } = await createAndRetrieve([missing]);
    await clock.advance(4_000);
    const failed = catchRejection(retrieve());
    await clock.advance(5_999);
    const before = requests.length;
    await clock.advance(1);
    expect(await failed).toMatchObject({ name: 'NotFoundError', outcome: 'rejected' });
    expect(requests).toHaveLength(before + 1);
    expect(await catchRejection(retrieve())).toMatchObject({ name: 'NotFoundError', attempts: 1 });
    expect(clock.pending()).toBe(0);
  });

  it('limits the retries of other failures by maxRetries', async () => {
    const broken = failure(503, 'server_error');
    const responses = [missing, broken, missing, broken, success(payment)];
    const { clock, retrieve } = await createAndRetrieve(responses, { maxRetries: 1 });
    const failed = catchRejection(retrieve());
    await clock.advance(10_000);
    expect(await failed).toMatchObject({ name: 'ServerError', attempts: 4 });
  });

  it.each([
    ['the total time of the call', {}, { totalTimeout: 1_000 }, 4],
    ['a Retry-After beyond it', { 'retry-after': '11' }, {}, 1],
  ])('ends with %s', async (_, headers, callOptions, attempts) => {
    const { clock, retrieve } = await createAndRetrieve([failure(404, 'not_found', headers)]);
    const failed = catchRejection(retrieve(callOptions));
    await clock.advance(1_000);
    expect(await failed).toMatchObject({ name: 'NotFoundError', attempts });
    expect(clock.pending()).toBe(0);
  });

  it.each([
    ['is turned off by 0', { readLag: 0 }, missing],
    ['does not retry a 404 of a proxy', {}, new Response('<h1>Not found</h1>', { status: 404 })],
  ])('%s', async (_, options, response) => {
    const { requests, retrieve } = await createAndRetrieve([response], options);
    expect(await catchRejection(retrieve())).toMatchObject({ name: 'NotFoundError' });
    expect(requests).toHaveLength(2);
  });

  it('retries a 404 for the id in a broken response to a create', async () => {
    const clock = createManualClock();
    const cut = new Response(`{"success":true,"data":{"id":"${payment.id}","sta`);
    const { client } = createStubClient([cut, missing, success(payment)], {}, clock);
    const error = await catchRejection(client.payments.create(paymentInput));
    expect(error).toMatchObject({ outcome: 'unknown', paymentId: payment.id });
    const found = client.payments.retrieve(payment.id);
    await clock.advance(100);
    expect(await found).toMatchObject({ id: payment.id });
  });

  it('remembers at least the last 1,000 payments of a client', async () => {
    const clock = createManualClock();
    const ids = Array.from({ length: 2_001 }, (_, index) => `pay_test_${index}`);
    const responses = ids.map((id) => success({ ...payment, id }));
    const { client, requests } = createStubClient([...responses, missing], {}, clock);
    for (const _ of ids) await client.payments.create(paymentInput);
    expect(await catchRejection(client.payments.retrieve('pay_test_0'))).toMatchObject({ attempts: 1 });
    void client.payments.retrieve('pay_test_1001').catch(() => {});
    await clock.advance(100);
    expect(requests).toHaveLength(2_001 + 1 + 2);
    await clock.advance(20_000);
  });
});
