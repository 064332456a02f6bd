import { describe, expect, it, vi } from 'vitest';
import * as schemas from '@service/contract/schemas';
import type { SchemaResult, Warning } from '../src/index.ts';
import {
  createStubClient,
  failure,
  payment,
  paymentInput,
  catchRejection,
  success,
  testKey,
} from './service.ts';

const responseSchemas = {
  createQuote: schemas.QuoteEnvelope,
  createPayment: schemas.PaymentEnvelope,
  getPayment: schemas.PaymentEnvelope,
  getBalance: schemas.BalanceEnvelope,
  listTransactions: schemas.TransactionsEnvelope,
};
const balances = [{ currency: 'USD', balance: 100 }];
const drifted = { balances: [{ currency: 'dollars', balance: 100 }] };

/** Creates a schema that returns these results in order, the last one repeatedly. */
function createStubSchema(...results: (SchemaResult | Promise<SchemaResult> | (() => never))[]) {
  let asked = 0;
  const validate = vi.fn<() => SchemaResult | Promise<SchemaResult>>(() => {
    const result = results[Math.min((asked += 1), results.length) - 1] ?? {};
    return typeof result === 'function' ? result() : result;
  });
  return { '~standard': { version: 1, vendor: 'test', validate } } as const;
}

describe('responseValidation: off', () => {
  it('checks no response', async () => {
    const schema = createStubSchema({ issues: [{ message: 'no' }] });
    const options = { responseValidation: 'off', responseSchemas: { getBalance: schema } };
    const { client } = createStubClient([success({ balances })], options);
    expect(await client.balance.retrieve()).toEqual({ balances });
    expect(schema['~standard'].validate).not.toHaveBeenCalled();
  });
});

describe('responseValidation: warn', () => {
  it('returns a response that does not match, with a warning that names the field', async () => {
    const warnings: Warning[] = [];
    const onWarning = (warning: Warning): void => void warnings.push(warning);
    const options = { responseValidation: 'warn', responseSchemas, onWarning };
    const { client } = createStubClient([success(drifted)], options);
    const result = await client.balance.retrieve().withResponse();
    expect(result.data).toEqual(drifted);
    expect(result.warnings).toEqual(warnings);
    expect(warnings).toMatchObject([{ code: 'unexpected_response' }]);
    expect(warnings[0]?.message).toContain('data.balances.0.currency');
  });

  it('returns a matching response without a warning', async () => {
    const onWarning = vi.fn<(warning: Warning) => void>();
    const { client } = createStubClient([success({ balances })], {
      responseValidation: 'warn',
      responseSchemas,
      onWarning,
    });
    await client.balance.retrieve();
    expect(onWarning).not.toHaveBeenCalled();
  });

  it('does not fail the call if the schema throws', async () => {
    const broken = createStubSchema(() => {
      throw new Error(testKey);
    });
    const onWarning = vi.fn<(warning: Warning) => void>();
    const options = { responseValidation: 'warn', responseSchemas: { getBalance: broken }, onWarning };
    const { client } = createStubClient([success({ balances })], options);
    expect(await client.balance.retrieve()).toEqual({ balances });
    expect(onWarning).toHaveBeenCalledTimes(1);
  });
});

describe('responseValidation: throw', () => {
  const strict = { responseValidation: 'throw', responseSchemas, maxRetries: 2 };

  it('rejects a read that does not match, after one request', async () => {
    const { client, requests } = createStubClient([success(drifted)], strict);
    const error = await catchRejection(client.balance.retrieve());
    expect(error).toMatchObject({ name: 'UnreadableResponseError', outcome: 'unknown', attempts: 1 });
    expect(String(error)).toContain('data.balances.0.currency');
    expect(requests).toHaveLength(1);
  });

  it('reports an unknown outcome with the id for a create that does not match', async () => {
    const { client, requests } = createStubClient([success({ ...payment, rate: undefined }, 201)], strict);
    expect(await catchRejection(client.payments.create(paymentInput))).toMatchObject({
      name: 'PaymentOutcomeUnknownError',
      phase: 'responded',
      paymentId: payment.id,
      cause: { name: 'UnreadableResponseError' },
    });
    expect(requests).toHaveLength(1);
  });

  it('accepts an asynchronous schema', async () => {
    const slow = createStubSchema(Promise.resolve({ issues: [{ message: 'no', path: [{ key: 'data' }] }] }));
    const { client } = createStubClient([success({ balances })], {
      ...strict,
      responseSchemas: { getBalance: slow },
    });
    expect(String(await catchRejection(client.balance.retrieve()))).toContain('data: no');
  });

  it('does not check rejections and operations without a schema', async () => {
    const { client } = createStubClient([failure(404, 'not_found'), success(drifted)], {
      ...strict,
      responseSchemas: { getPayment: schemas.PaymentEnvelope },
    });
    expect(await catchRejection(client.payments.retrieve(payment.id))).toMatchObject({
      name: 'NotFoundError',
    });
    expect(await client.balance.retrieve()).toEqual(drifted);
  });

  it('removes an API key from the message of a schema', async () => {
    const chatty = createStubSchema({ issues: [{ message: `got ${testKey}` }] });
    const { client } = createStubClient([success({ balances })], {
      ...strict,
      responseSchemas: { getBalance: chatty },
    });
    expect(String(await catchRejection(client.balance.retrieve()))).not.toContain(testKey);
  });
});

describe('createClient', () => {
  it.each([
    [{ responseValidation: 'warn' }, 'responseSchemas'],
    [{ responseValidation: 'strict', responseSchemas }, "'off' or 'warn' or 'throw'"],
    [{ responseValidation: 'warn', responseSchemas: { getBalance: {} } }, 'Standard Schema'],
    [
      { responseValidation: 'warn', responseSchemas: { getBalances: schemas.BalanceEnvelope } },
      'Did you mean',
    ],
    [{ responseSchemas: 'zod' }, 'responseSchemas'],
    [{ responseSchemas }, 'responseValidation'],
    [{ responseValidation: 'warn', responseSchemas: {} }, 'responseSchemas'],
  ])('rejects the options %o', (options, message) => {
    expect(() => createStubClient([], options)).toThrow(message);
  });
});
