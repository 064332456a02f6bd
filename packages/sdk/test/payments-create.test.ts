import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { InsufficientFundsError, ValidationError } from '../src/index.ts';
import {
  baseUrl,
  clientAnswering,
  failure,
  payment,
  paymentInput,
  polluteObjects,
  rejection,
  success,
} from './service.ts';

test('creates a payment', async () => {
  const { service, requests } = clientAnswering([success(payment, 201)]);
  expect(await service.payments.create(paymentInput)).toEqual(payment);
  expect(requests).toHaveLength(1);
  expect(requests[0]?.url).toBe(`${baseUrl}/payments`);
  expect(await requests[0]?.text()).toBe(
    '{"from_currency":"USD","to_currency":"EUR","amount":100.00,"beneficiary_name":"Acme Ltd",' +
      '"beneficiary_account":"DE89370400440532013000","purpose":"INV-42"}',
  );
});

test('shows absent optional fields as null', async () => {
  const { purpose: _, beneficiary, ...rest } = payment;
  const { service } = clientAnswering([success({ ...rest, beneficiary: { name: beneficiary.name } }, 201)]);
  expect(await service.payments.create(paymentInput)).toEqual({
    ...rest,
    purpose: null,
    beneficiary: { name: 'Acme Ltd', bank: null, account: null, country: null },
  });
});

test('keeps fields and statuses that are not documented', async () => {
  const sent = { ...payment, status: 'under_review', reference: 'abc' };
  const { service } = clientAnswering([success(sent, 202)]);
  expect(await service.payments.create(paymentInput)).toEqual(sent);
});

test.each([
  'txn_test_a',
  'pay_prod_a',
  'pay_test_',
  'pay_test_a/../x',
  '42',
  '',
  'pay_live_0000014Kq8ZxWb2TnVd7Rm3s',
])('takes a payment that cannot be looked up, of the id %o, for one that may exist', async (id) => {
  const { service, requests } = clientAnswering([success({ ...payment, id }, 201)]);
  const error = await rejection(service.payments.create(paymentInput));
  expect(error).toMatchObject({
    name: 'PaymentOutcomeUnknownError',
    outcome: 'unknown',
    phase: 'answered',
    status: 201,
    raw: { data: { id } },
    cause: { name: 'UnreadableResponseError' },
  });
  expect(requests).toHaveLength(1);
});

test('shows what went wrong before anything left as what it is, not as a payment that may exist', async () => {
  const trouble = new TypeError('there is no Request here');
  const construct = (): never => {
    throw trouble;
  };
  vi.stubGlobal('Request', new Proxy(Request, { construct }));
  onTestFinished(() => void vi.unstubAllGlobals());
  const { service, requests } = clientAnswering([success(payment, 201)]);
  expect(await rejection(service.payments.create(paymentInput))).toBe(trouble);
  expect(requests).toHaveLength(0);
});

test('takes nothing from a polluted prototype', async () => {
  polluteObjects({ purpose: 'Evil', beneficiary_bank: 'Evil', idempotencyKey: 'evil', timeout: -1 });
  const { service, requests } = clientAnswering([success(payment, 201)]);
  const { purpose: _, ...input } = paymentInput;
  await service.payments.create(input);
  await service.payments.create(input, {});
  for (const request of requests) {
    expect(await request.text()).not.toContain('Evil');
    expect(request.headers.get('idempotency-key')).not.toBe('evil');
  }
});

test('leaves out optional fields that are null or undefined', async () => {
  const { service, requests } = clientAnswering([success(payment, 201)]);
  await service.payments.create({ ...paymentInput, purpose: null, beneficiary_account: undefined });
  expect(await requests[0]?.json()).toEqual({
    from_currency: 'USD',
    to_currency: 'EUR',
    amount: 100,
    beneficiary_name: 'Acme Ltd',
  });
});

test('sends names as they are written', async () => {
  const names = ['José Ñandú', 'محمد', '株式会社テスト', "O'Brien & Söhne", '👩‍👩‍👧', ' spaced ', 'e\u0301'];
  const { service, requests } = clientAnswering([success(payment, 201)]);
  for (const beneficiary_name of names) await service.payments.create({ ...paymentInput, beneficiary_name });
  const sent = await Promise.all(requests.map(async (request) => (await request.json()).beneficiary_name));
  expect(sent).toEqual(names);
});

test.each([
  [{ beneficiary_name: undefined }, 'beneficiary_name is required'],
  [{ beneficiary_name: '' }, 'beneficiary_name must be a string that is not empty'],
  [{ beneficiary_name: ' \t' }, 'beneficiary_name must be a string that is not empty'],
  [{ beneficiary_name: 5 }, 'beneficiary_name must be a string'],
  [{ purpose: '' }, 'purpose must be a string that is not empty; leave it out'],
  [{ amount: 'NaN' }, 'plain decimal'],
  [{ amount: null }, 'amount is required'],
  [{ benificiary_bank: 'x' }, 'Did you mean "beneficiary_bank"?'],
  [{ beneficiaryCountry: 'DE' }, 'Did you mean "beneficiary_country"?'],
])('refuses %o before sending', async (part, message) => {
  const { service, requests } = clientAnswering([success(payment)]);
  const error = await rejection(service.payments.create({ ...paymentInput, ...part } as never));
  expect(error).toBeInstanceOf(ValidationError);
  expect(error).toMatchObject({
    outcome: 'not_sent',
    attempts: 0,
    message: expect.stringContaining(message),
  });
  expect(requests).toHaveLength(0);
});

describe('the idempotency key of a create', () => {
  const uuid = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;
  const keysOf = async (...options: [client: object, ...calls: object[]]): Promise<(string | null)[]> => {
    const [client, ...calls] = options;
    const { service, requests } = clientAnswering([success(payment, 201)], client);
    for (const call of calls) await service.payments.create(paymentInput, call);
    return requests.map(({ headers }) => headers.get('idempotency-key'));
  };

  test('is a new UUID for each create, unless the call names its own', async () => {
    const keys = await keysOf({}, {}, { idempotencyKey: 'order-42' }, {});
    expect(keys).toEqual([expect.stringMatching(uuid), 'order-42', expect.stringMatching(uuid)]);
    expect(keys[0]).not.toBe(keys[2]);
  });

  test('is left out on request, unless the call names its own', async () => {
    const keys = await keysOf({ idempotencyKeys: 'omit' }, {}, { idempotencyKey: 'order-42' });
    expect(keys).toEqual([null, 'order-42']);
  });

  test('is left out in a browser, unless it is asked for', async () => {
    vi.stubGlobal('window', {});
    vi.stubGlobal('document', {});
    onTestFinished(() => void vi.unstubAllGlobals());
    expect(await keysOf({ allowBrowser: true }, {})).toEqual([null]);
    expect(await keysOf({ allowBrowser: true, idempotencyKeys: 'send' }, {})).toEqual([
      expect.stringMatching(uuid),
    ]);
  });

  test('is not sent with reads and quotes', async () => {
    const { service, requests } = clientAnswering([
      success({ rate: 1, receive_amount: 1 }),
      success(payment),
    ]);
    await service.quotes.create({ from_currency: 'USD', to_currency: 'EUR', amount: 1 });
    await service.payments.retrieve(payment.id);
    expect(requests.map(({ headers }) => headers.get('idempotency-key'))).toEqual([null, null]);
  });

  test('is on the error of a create whose outcome is unknown', async () => {
    const { service, requests } = clientAnswering([new Error('reset')]);
    const error = await rejection(service.payments.create(paymentInput));
    const key = requests[0]?.headers.get('idempotency-key');
    expect(error).toMatchObject({ name: 'PaymentOutcomeUnknownError', idempotencyKey: key });
    expect(key).toMatch(uuid);
  });
});

test('sends no field that only the prototype has', async () => {
  const { service, requests } = clientAnswering([success(payment, 201)]);
  const heir = Object.assign(Object.create({ beneficiary_bank: 'Evil Bank' }) as object, paymentInput);
  await service.payments.create(heir);
  expect(await requests[0]?.text()).not.toContain('Evil');
});

test.each(['', 'a b', 'é', 'a\n', 'x'.repeat(256), 5, null])(
  'refuses the idempotency key %o',
  async (idempotencyKey) => {
    const { service, requests } = clientAnswering([success(payment, 201)]);
    const options = { idempotencyKey } as never;
    expect(await rejection(service.payments.create(paymentInput, options))).toMatchObject({
      name: 'ConfigurationError',
      outcome: 'not_sent',
    });
    expect(requests).toHaveLength(0);
  },
);

test('takes an idempotency key of 255 characters', async () => {
  const { service, requests } = clientAnswering([success(payment, 201)]);
  await service.payments.create(paymentInput, { idempotencyKey: '~'.repeat(255) });
  expect(requests[0]?.headers.get('idempotency-key')).toHaveLength(255);
});

test('refuses options that it does not know, and says which was meant', async () => {
  const { service, requests } = clientAnswering([success(payment, 201)]);
  const error = await rejection(service.payments.create(paymentInput, { idempotency_key: 'a' } as never));
  expect(error).toMatchObject({ name: 'ConfigurationError', outcome: 'not_sent' });
  expect(String(error)).toContain('Did you mean "idempotencyKey"?');
  expect(requests).toHaveLength(0);
});

test('reports a wallet that holds too little', async () => {
  const { service } = clientAnswering([failure(422, 'insufficient_funds')]);
  const error = await rejection(service.payments.create(paymentInput));
  expect(error).toBeInstanceOf(InsufficientFundsError);
  expect(error).toMatchObject({
    outcome: 'rejected',
    status: 422,
    attempts: 1,
    requestId: 'req_1',
    mode: 'test',
  });
});
