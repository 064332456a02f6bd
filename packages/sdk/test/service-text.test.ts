// Text of the service in errors: one line, no control characters, no beneficiary, cut.
import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import type { FieldError, ServiceError } from '../src/index.ts';
import { clientAnswering, json, paymentInput, rejection, testKey } from './service.ts';

const refusal = (error: object, besides: object = {}): Response =>
  json(
    {
      success: false,
      mode: 'test',
      error: { type: 'validation_error', message: 'No.', ...error },
      ...besides,
    },
    422,
  );

async function refuse(response: Response, input: object = {}): Promise<ServiceError> {
  const { service } = clientAnswering([response]);
  const body = { ...paymentInput, ...input };
  return (await rejection(service.payments.create(body))) as ServiceError;
}

const control = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/u;

describe('the message of an error', () => {
  test('has no escape sequence and no line break of the service', async () => {
    const message = 'Stop.\u001b[2J\u009b31m\r\n\u2028error: paid\u202e\u0000\ud800 ok';
    const error = await refuse(refusal({ message, type: 'odd\u001b[1m\n' }));
    expect(error.message).toBe(String.raw`Stop.\u001b[2J\u009b31m error: paid\u202e\u0000\ud800 ok`);
    expect(error.type).toBe(String.raw`odd\u001b[1m `);
    expect(String(error.stack).split('\n')[0]).toBe(`ValidationError: ${error.message}`);
    expect(error.raw).toMatchObject({ error: { message } });
    expect(JSON.stringify(error)).not.toMatch(control);
  });

  test('is cut', async () => {
    const error = await refuse(refusal({ message: 'a'.repeat(5_000_000), type: 'b'.repeat(1_000) }));
    expect(error.message).toBe(`${'a'.repeat(499)}…`);
    expect(error.type).toBe(`${'b'.repeat(99)}…`);
  });

  test.each([
    ['an unknown outcome', () => json({ error: { type: 'x\u001b[1m', message: 'y\n' } }, 500)],
    ['an answer that cannot be read', () => json({ success: false, error: { type: 'x\u001b[1m' } }, 200)],
  ])('is clean with %s', async (_, answer) => {
    const error = await refuse(answer());
    const cause = error.cause as ServiceError;
    for (const text of [error.message, error.type, cause.message, cause.type]) {
      expect(text).not.toMatch(control);
    }
  });

  test('names no beneficiary and no account number that the service repeats', async () => {
    const message = 'Account DE89 3704-0044 0532013000 of ACME ltd is closed.';
    const error = await refuse(refusal({ message }));
    expect(error.message).toBe('Account [masked] of [masked] is closed.');
  });

  test.each([
    ['Li', 'Limit of Li reached', 'Limit of [masked] reached'],
    ['a.b*(c)[d]', 'for a.b*(c)[d]!', 'for [masked]!'],
  ])('masks the name %s as it was sent, and nothing else', async (beneficiary_name, message, masked) => {
    expect((await refuse(refusal({ message }), { beneficiary_name })).message).toBe(masked);
  });
});

describe('the request id of an error', () => {
  test('has no control character', async () => {
    const response = json({ success: false }, 404, { 'x-request-id': 'req\u009b31m' });
    const { service } = clientAnswering([response]);
    expect(await rejection(service.balance.retrieve())).toMatchObject({
      requestId: String.raw`req\u009b31m`,
    });
  });
});

describe('the fields of an error', () => {
  const currency = { field: 'to_currency', message: 'Unsupported currency XXX' };
  const lists = { to_currency: [currency.message], amount: ['Too small.', 'Too odd.'] };
  const all: FieldError[] = [
    currency,
    { field: 'amount', message: 'Too small.' },
    { field: 'amount', message: 'Too odd.' },
  ];
  const fastApi = {
    type: 'string_pattern',
    loc: ['body', 'to_currency'],
    msg: currency.message,
    input: paymentInput.beneficiary_account,
    ctx: { account: paymentInput.beneficiary_account },
  };

  test.each<[string, object, object, FieldError[]]>([
    ['error.fields of Laravel', { fields: lists }, {}, all],
    ['error.errors', { errors: lists }, {}, all],
    ['errors beside error', {}, { errors: lists }, all],
    ['fields beside error', {}, { fields: lists }, all],
    ['one message a field', { fields: { to_currency: currency.message } }, {}, [currency]],
    [
      'an object a field',
      { fields: { to_currency: { message: currency.message, value: 'XXX' } } },
      {},
      [currency],
    ],
    [
      'fields within fields',
      { errors: { beneficiary: { account: ['Closed.'] } } },
      {},
      [{ field: 'beneficiary.account', message: 'Closed.' }],
    ],
    ['a list with field and message', { errors: [currency] }, {}, [currency]],
    ['a list with path', { errors: [{ path: ['to_currency'], message: currency.message }] }, {}, [currency]],
    ['FastAPI in the envelope', { errors: [fastApi] }, {}, [currency]],
    ['FastAPI as it comes', {}, { detail: [fastApi] }, [currency]],
    [
      'RFC 9457',
      {},
      { errors: [{ detail: currency.message, pointer: '#/to_currency' }], detail: 'Not valid.' },
      [currency],
    ],
    [
      'messages without a field',
      { errors: ['No such pair.'] },
      {},
      [{ field: '', message: 'No such pair.' }],
    ],
  ])('are those of %s', async (_, error, besides, fields) => {
    const refused = await refuse(refusal(error, besides));
    expect(refused).toMatchObject({ name: 'ValidationError', fields });
    expect(JSON.parse(JSON.stringify(refused))).toMatchObject({ fields });
    expect(JSON.stringify(refused) + inspect(refused)).not.toContain(paymentInput.beneficiary_account);
  });

  test.each<[string, object]>([
    ['the service names none', {}],
    ['they are a number', { errors: 5 }],
    ['they are empty', { fields: {}, errors: [] }],
    ['they hold no message', { errors: [{ field: 'amount', input: 'DE89' }, 7, null, [['x']]] }],
    ['they are too deep', { errors: { a: { b: { c: { d: { e: { f: ['x'] } } } } } } }],
  ])('are undefined when %s', async (_, error) => {
    expect((await refuse(refusal(error))).fields).toBeUndefined();
  });

  test('are cut in number and length, on one line, and without keys', async () => {
    const message = `${testKey}\u001b[2J\n${'m'.repeat(1_000)}`;
    const errors = Array.from({ length: 1_000 }, (_, index) => ({
      field: `f${index}\n`.repeat(100),
      message,
    }));
    const { fields = [] } = await refuse(refusal({ errors }));
    expect(fields).toHaveLength(20);
    expect(fields[0]?.field).toHaveLength(100);
    expect(fields[0]?.message).toMatch(/^\[redacted key\]\\u001b\[2J m+…$/);
    expect(JSON.stringify(fields)).not.toMatch(control);
    expect(JSON.stringify(fields).length).toBeLessThan(10_000);
  });

  test('repeat no beneficiary and no account number', async () => {
    const { beneficiary_account: account, beneficiary_name: name } = paymentInput;
    const fields = { beneficiary_account: account, beneficiary_name: [`"${name}" is blocked`] };
    expect((await refuse(refusal({ fields }))).fields).toEqual([
      { field: 'beneficiary_account', message: '[masked]' },
      { field: 'beneficiary_name', message: '"[masked]" is blocked' },
    ]);
  });
});
