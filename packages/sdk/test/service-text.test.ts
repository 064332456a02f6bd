// Text of the service in errors: one line, no control characters, no beneficiary, truncated.
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { FieldError, ServiceError } from '../src/index.ts';
import { createStubClient, json, paymentInput, catchRejection, testKey } from './service.ts';

const createErrorResponse = (error: object, besides: object = {}): Response =>
  json(
    {
      success: false,
      mode: 'test',
      error: { type: 'validation_error', message: 'No.', ...error },
      ...besides,
    },
    422,
  );

async function failCreate(response: Response, input: object = {}): Promise<ServiceError> {
  const { client } = createStubClient([response]);
  const body = { ...paymentInput, ...input };
  return (await catchRejection(client.payments.create(body))) as ServiceError;
}

const control = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/u;

describe('the message of an error', () => {
  it('contains no escape sequence and no line break of the service', async () => {
    const message = 'Stop.\u001b[2J\u009b31m\r\n\u2028error: paid\u202e\u0000\ud800 ok';
    const error = await failCreate(createErrorResponse({ message, type: 'odd\u001b[1m\n' }));
    expect(error.message).toBe(String.raw`Stop.\u001b[2J\u009b31m error: paid\u202e\u0000\ud800 ok`);
    expect(error.type).toBe(String.raw`odd\u001b[1m `);
    expect(String(error.stack).split('\n')[0]).toBe(`ValidationError: ${error.message}`);
    expect(error.raw).toMatchObject({ error: { message } });
    expect(JSON.stringify(error)).not.toMatch(control);
  });

  it('is truncated', async () => {
    const error = await failCreate(
      createErrorResponse({ message: 'a'.repeat(5_000_000), type: 'b'.repeat(1_000) }),
    );
    expect(error.message).toBe(`${'a'.repeat(499)}…`);
    expect(error.type).toBe(`${'b'.repeat(99)}…`);
  });

  it.each([
    ['an unknown outcome', () => json({ error: { type: 'x\u001b[1m', message: 'y\n' } }, 500)],
    ['an unreadable response', () => json({ success: false, error: { type: 'x\u001b[1m' } }, 200)],
  ])('is clean for %s', async (_, respond) => {
    const error = await failCreate(respond());
    const cause = error.cause as ServiceError;
    for (const text of [error.message, error.type, cause.message, cause.type]) {
      expect(text).not.toMatch(control);
    }
  });

  it('masks the beneficiary and the account number', async () => {
    const message = 'Account DE89 3704-0044 0532013000 of ACME ltd is closed.';
    const error = await failCreate(createErrorResponse({ message }));
    expect(error.message).toBe('Account [masked] of [masked] is closed.');
  });

  it.each([
    ['Li', 'Limit of Li reached', 'Limit of [masked] reached'],
    ['a.b*(c)[d]', 'for a.b*(c)[d]!', 'for [masked]!'],
  ])('masks only the name %s as sent', async (beneficiary_name, message, masked) => {
    expect((await failCreate(createErrorResponse({ message }), { beneficiary_name })).message).toBe(masked);
  });
});

describe('the request id of an error', () => {
  it('contains no control character', async () => {
    const response = json({ success: false }, 404, { 'x-request-id': 'req\u009b31m' });
    const { client } = createStubClient([response]);
    expect(await catchRejection(client.balance.retrieve())).toMatchObject({
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

  it.each<[string, object, object, FieldError[]]>([
    ['error.fields of Laravel', { fields: lists }, {}, all],
    ['error.errors', { errors: lists }, {}, all],
    ['errors beside error', {}, { errors: lists }, all],
    ['fields beside error', {}, { fields: lists }, all],
    ['one message per field', { fields: { to_currency: currency.message } }, {}, [currency]],
    ['a list with field and message', { errors: [currency] }, {}, [currency]],
    ['a list with path', { errors: [{ path: ['to_currency'], message: currency.message }] }, {}, [currency]],
    ['FastAPI in the envelope', { errors: [fastApi] }, {}, [currency]],
    ['FastAPI without the envelope', {}, { detail: [fastApi] }, [currency]],
    [
      'a list with reasons',
      { details: [{ reason: 'No such pair.' }] },
      {},
      [{ field: '', message: 'No such pair.' }],
    ],
    ['error.violations', { violations: [currency] }, {}, [currency]],
    [
      'details of Joi',
      {},
      { details: [{ path: ['to_currency'], message: currency.message, context: {} }] },
      [currency],
    ],
  ])('are read from %s', async (_, error, besides, fields) => {
    const refused = await failCreate(createErrorResponse(error, besides));
    expect(refused).toMatchObject({ name: 'ValidationError', fields });
    expect(JSON.parse(JSON.stringify(refused))).toMatchObject({ fields });
    expect(JSON.stringify(refused) + inspect(refused)).not.toContain(paymentInput.beneficiary_account);
  });

  it.each<[string, object]>([
    ['the service sends none', {}],
    ['they are a number', { errors: 5 }],
    ['they are empty', { fields: {}, errors: [] }],
    ['they have no message', { errors: [{ field: 'amount', input: 'DE89' }, 7, null, [['x']]] }],
    ['they are facts of the error', { details: { host: 'a', trace: 'b' } }],
    ['they are too deep', { errors: { a: { b: { c: { d: { e: { f: ['x'] } } } } } } }],
  ])('are undefined if %s', async (_, error) => {
    expect((await failCreate(createErrorResponse(error))).fields).toBeUndefined();
  });

  it('are limited in number and length, on one line, and without API keys', async () => {
    const message = `${testKey}\u001b[2J\n${'m'.repeat(1_000)}`;
    const errors = Array.from({ length: 1_000 }, (_, index) => ({
      field: `f${index}\n`.repeat(100),
      message,
    }));
    const { fields = [] } = await failCreate(createErrorResponse({ errors }));
    expect(fields).toHaveLength(20);
    expect(fields[0]?.field).toHaveLength(100);
    expect(fields[0]?.message).toMatch(/^\[redacted key\]\\u001b\[2J m+…$/);
    expect(JSON.stringify(fields)).not.toMatch(control);
    expect(JSON.stringify(fields).length).toBeLessThan(10_000);
  });

  it('mask the beneficiary and the account number', async () => {
    const { beneficiary_account: account, beneficiary_name: name } = paymentInput;
    const fields = { beneficiary_account: account, beneficiary_name: [`"${name}" is blocked`] };
    expect((await failCreate(createErrorResponse({ fields }))).fields).toEqual([
      { field: 'beneficiary_account', message: '[masked]' },
      { field: 'beneficiary_name', message: '"[masked]" is blocked' },
    ]);
  });
});
