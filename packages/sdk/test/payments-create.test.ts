import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  createStubClient,
  payment,
  paymentInput,
  polluteObjectPrototype,
  catchRejection,
  expectRefused,
  success,
} from './service.ts';

describe('the idempotency key of a create', () => {
  const uuid = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;
  const keysOf = async (
    ...options: [clientOptions: object, ...calls: object[]]
  ): Promise<(string | null)[]> => {
    const [clientOptions, ...calls] = options;
    const { client, requests } = createStubClient([success(payment, 201)], clientOptions);
    for (const call of calls) await client.payments.create(paymentInput, call);
    return requests.map(({ headers }) => headers.get('idempotency-key'));
  };

  it('is a new UUID for each create, unless the call has one', async () => {
    const keys = await keysOf({}, {}, { idempotencyKey: 'order-42' }, {});
    expect(keys).toEqual([expect.stringMatching(uuid), 'order-42', expect.stringMatching(uuid)]);
    expect(keys[0]).not.toBe(keys[2]);
  });

  it('is omitted on request, unless the call has one', async () => {
    const keys = await keysOf({ idempotencyKeys: 'omit' }, {}, { idempotencyKey: 'order-42' });
    expect(keys).toEqual([null, 'order-42']);
  });

  it('is omitted in a browser, unless it is requested', async () => {
    vi.stubGlobal('window', {});
    vi.stubGlobal('document', {});
    onTestFinished(() => void vi.unstubAllGlobals());
    expect(await keysOf({ allowBrowser: true }, {})).toEqual([null]);
    expect(await keysOf({ allowBrowser: true, idempotencyKeys: 'send' }, {})).toEqual([
      expect.stringMatching(uuid),
    ]);
  });

  it('is not sent with reads and quotes', async () => {
    const { client, requests } = createStubClient([
      success({ rate: 1, receive_amount: 1 }),
      success(payment),
    ]);
    await client.quotes.create({ from_currency: 'USD', to_currency: 'EUR', amount: 1 });
    await client.payments.retrieve(payment.id);
    expect(requests.map(({ headers }) => headers.get('idempotency-key'))).toEqual([null, null]);
  });
});

describe('payments.create', () => {
  it('returns absent optional fields as null', async () => {
    const { purpose: _, beneficiary, ...rest } = payment;
    const { client } = createStubClient([success({ ...rest, beneficiary: { name: beneficiary.name } }, 201)]);
    expect(await client.payments.create(paymentInput)).toEqual({
      ...rest,
      purpose: null,
      beneficiary: { name: 'Acme Ltd', bank: null, account: null, country: null },
    });
  });

  it.each([
    'txn_test_a',
    'pay_prod_a',
    'pay_test_',
    'pay_test_a/../x',
    '42',
    '',
    'pay_live_0000014Kq8ZxWb2TnVd7Rm3s',
  ])('reports an unknown outcome for a payment with the id %o, which cannot be looked up', async (id) => {
    const { client, requests } = createStubClient([success({ ...payment, id }, 201)]);
    const error = await catchRejection(client.payments.create(paymentInput));
    expect(error).toMatchObject({
      name: 'PaymentOutcomeUnknownError',
      outcome: 'unknown',
      phase: 'responded',
      status: 201,
      raw: { data: { id } },
      cause: { name: 'UnreadableResponseError' },
    });
    expect(requests).toHaveLength(1);
  });

  it('ignores a polluted prototype', async () => {
    polluteObjectPrototype({
      purpose: 'Evil',
      beneficiary_bank: 'Evil',
      idempotencyKey: 'evil',
      timeout: -1,
    });
    const { client, requests } = createStubClient([success({ ...payment, purpose: null }, 201)]);
    const { purpose: _, ...input } = paymentInput;
    await client.payments.create(input);
    await client.payments.create(input, {});
    for (const request of requests) {
      expect(await request.text()).not.toContain('Evil');
      expect(request.headers.get('idempotency-key')).not.toBe('evil');
    }
  });

  it('omits optional fields that are null or undefined', async () => {
    const shown = { ...payment, purpose: null, beneficiary: { name: 'Acme Ltd' } };
    const { client, requests } = createStubClient([success(shown, 201)]);
    await client.payments.create({ ...paymentInput, purpose: null, beneficiary_account: undefined });
    expect(await requests[0]?.json()).toEqual({
      from_currency: 'USD',
      to_currency: 'EUR',
      amount: 100,
      beneficiary_name: 'Acme Ltd',
    });
  });

  it('sends names as written', async () => {
    const names = ['José Ñandú', 'محمد', '株式会社テスト', "O'Brien & Söhne", '👩‍👩‍👧', ' spaced ', 'e\u0301'];
    const { client, requests } = createStubClient([success({ ...payment, beneficiary: null }, 201)]);
    for (const beneficiary_name of names) await client.payments.create({ ...paymentInput, beneficiary_name });
    const sent = await Promise.all(requests.map(async (request) => (await request.json()).beneficiary_name));
    expect(sent).toEqual(names);
  });

  it('rejects invalid fields before sending', async () => {
    const parts = [
      [{ beneficiary_name: undefined }, 'beneficiary_name is required'],
      [{ beneficiary_name: '' }, 'beneficiary_name must be a string that is not empty'],
      [{ beneficiary_name: ' \t' }, 'beneficiary_name must be a string that is not empty'],
      [{ beneficiary_name: 5 }, 'beneficiary_name must be a string'],
      [{ purpose: '' }, 'purpose must be a string that is not empty; omit'],
      [{ amount: 'NaN' }, 'plain decimal'],
      [{ amount: null }, 'amount is required'],
      [{ benificiary_bank: 'x' }, '"benificiary_bank" is unknown. Use one of: from_currency,'],
      [{ beneficiaryCountry: 'DE' }, '"beneficiaryCountry" is unknown. Use one of: from_currency,'],
    ] as const;
    const rows = parts.map(([part, message]) => [{ ...paymentInput, ...part }, message] as const);
    await expectRefused((client, input) => client.payments.create(input), rows);
  });

  it('sends no field that only the prototype has', async () => {
    const { client, requests } = createStubClient([success(payment, 201)]);
    const heir = Object.assign(Object.create({ beneficiary_bank: 'Evil Bank' }) as object, paymentInput);
    await client.payments.create(heir);
    expect(await requests[0]?.text()).not.toContain('Evil');
  });

  it('accepts an idempotency key of 255 characters', async () => {
    const { client, requests } = createStubClient([success(payment, 201)]);
    await client.payments.create(paymentInput, { idempotencyKey: '~'.repeat(255) });
    expect(requests[0]?.headers.get('idempotency-key')).toHaveLength(255);
  });

  it('rejects invalid and unknown options before sending', async () => {
    const keys = ['', 'a b', 'é', 'a\n', 'x'.repeat(256), 5, null];
    await expectRefused(
      (client, options) => client.payments.create(paymentInput, options),
      [
        ...keys.map((idempotencyKey) => [{ idempotencyKey }, ''] as const),
        [{ idempotency_key: 'a' }, '"idempotency_key" is unknown. Use one of: signal,'],
      ],
      'ConfigurationError',
    );
  });
});
