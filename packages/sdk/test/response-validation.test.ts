import { describe, expect, test, vi } from 'vitest';
import * as schemas from '@service/contract/schemas';
import type { SchemaResult, Warning } from '../src/index.ts';
import { clientAnswering, failure, payment, paymentInput, rejection, success, testKey } from './service.ts';

const responseSchemas = {
  createQuote: schemas.QuoteEnvelope,
  createPayment: schemas.PaymentEnvelope,
  getPayment: schemas.PaymentEnvelope,
  getBalance: schemas.BalanceEnvelope,
  listTransactions: schemas.TransactionsEnvelope,
};
const balances = [{ currency: 'USD', balance: 100 }];
const drifted = { balances: [{ currency: 'dollars', balance: 100 }] };

/** A schema that gives these answers, the last one again and again. */
function schemaAnswering(...results: (SchemaResult | Promise<SchemaResult> | (() => never))[]) {
  let asked = 0;
  const validate = vi.fn<() => SchemaResult | Promise<SchemaResult>>(() => {
    const result = results[Math.min((asked += 1), results.length) - 1] ?? {};
    return typeof result === 'function' ? result() : result;
  });
  return { '~standard': { version: 1, vendor: 'test', validate } } as const;
}

test('nothing is checked while that is off', async () => {
  const schema = schemaAnswering({ issues: [{ message: 'no' }] });
  const options = { responseValidation: 'off', responseSchemas: { getBalance: schema } };
  const { service } = clientAnswering([success({ balances })], options);
  expect(await service.balance.retrieve()).toEqual({ balances });
  expect(schema['~standard'].validate).not.toHaveBeenCalled();
});

describe('with responseValidation: warn', () => {
  test('an answer that drifted is given back, with a warning that says where', async () => {
    const warnings: Warning[] = [];
    const onWarning = (warning: Warning): void => void warnings.push(warning);
    const options = { responseValidation: 'warn', responseSchemas, onWarning };
    const { service } = clientAnswering([success(drifted)], options);
    const answered = await service.balance.retrieve().withResponse();
    expect(answered.data).toEqual(drifted);
    expect(answered.warnings).toEqual(warnings);
    expect(warnings).toMatchObject([{ code: 'unexpected_answer' }]);
    expect(warnings[0]?.message).toContain('data.balances.0.currency');
  });

  test('an answer as documented passes without one', async () => {
    const onWarning = vi.fn<(warning: Warning) => void>();
    const { service } = clientAnswering([success({ balances })], {
      responseValidation: 'warn',
      responseSchemas,
      onWarning,
    });
    await service.balance.retrieve();
    expect(onWarning).not.toHaveBeenCalled();
  });

  test('a schema that fails does not fail the call', async () => {
    const broken = schemaAnswering(() => {
      throw new Error(testKey);
    });
    const onWarning = vi.fn<(warning: Warning) => void>();
    const options = { responseValidation: 'warn', responseSchemas: { getBalance: broken }, onWarning };
    const { service } = clientAnswering([success({ balances })], options);
    expect(await service.balance.retrieve()).toEqual({ balances });
    expect(onWarning).toHaveBeenCalledTimes(1);
  });
});

describe('with responseValidation: throw', () => {
  const strict = { responseValidation: 'throw', responseSchemas, maxRetries: 2 };

  test('a read that drifted is an unreadable response, asked for once', async () => {
    const { service, requests } = clientAnswering([success(drifted)], strict);
    const error = await rejection(service.balance.retrieve());
    expect(error).toMatchObject({ name: 'UnreadableResponseError', outcome: 'unknown', attempts: 1 });
    expect(String(error)).toContain('data.balances.0.currency');
    expect(requests).toHaveLength(1);
  });

  test('a create that drifted may have made a payment, and says which', async () => {
    const { service, requests } = clientAnswering([success({ ...payment, rate: undefined }, 201)], strict);
    expect(await rejection(service.payments.create(paymentInput))).toMatchObject({
      name: 'PaymentOutcomeUnknownError',
      phase: 'answered',
      salvagedId: payment.id,
      cause: { name: 'UnreadableResponseError' },
    });
    expect(requests).toHaveLength(1);
  });

  test('a schema may take its time', async () => {
    const slow = schemaAnswering(Promise.resolve({ issues: [{ message: 'no', path: [{ key: 'data' }] }] }));
    const { service } = clientAnswering([success({ balances })], {
      ...strict,
      responseSchemas: { getBalance: slow },
    });
    expect(String(await rejection(service.balance.retrieve()))).toContain('data: no');
  });

  test('refusals and operations without a schema are not checked', async () => {
    const { service } = clientAnswering([failure(404, 'not_found'), success(drifted)], {
      ...strict,
      responseSchemas: { getPayment: schemas.PaymentEnvelope },
    });
    expect(await rejection(service.payments.retrieve(payment.id))).toMatchObject({ name: 'NotFoundError' });
    expect(await service.balance.retrieve()).toEqual(drifted);
  });

  test('what a schema says of a key stays in', async () => {
    const chatty = schemaAnswering({ issues: [{ message: `got ${testKey}` }] });
    const { service } = clientAnswering([success({ balances })], {
      ...strict,
      responseSchemas: { getBalance: chatty },
    });
    expect(String(await rejection(service.balance.retrieve()))).not.toContain(testKey);
  });
});

test.each([
  [{ responseValidation: 'warn' }, 'responseSchemas'],
  [{ responseValidation: 'strict', responseSchemas }, "'off' or 'warn' or 'throw'"],
  [{ responseValidation: 'warn', responseSchemas: { getBalance: {} } }, 'Standard Schema'],
  [{ responseValidation: 'warn', responseSchemas: { getBalances: schemas.BalanceEnvelope } }, 'Did you mean'],
  [{ responseSchemas: 'zod' }, 'responseSchemas'],
  [{ responseSchemas }, 'responseValidation'],
  [{ responseValidation: 'warn', responseSchemas: {} }, 'responseSchemas'],
])('refuses the options %o', (options, message) => {
  expect(() => clientAnswering([], options)).toThrow(message);
});
