import { expect } from 'vitest';
import { rawAmount } from '@service/sdk';
import { type Behavior, errorOf, exchange, feeOf, isTyped, outcomeOf } from './context.ts';

/** Behaviors of quotes.create. */
export const quotes: readonly Behavior[] = [
  {
    name: 'a quote has numbers, and rawAmount returns their text',
    async run({ service, profile, warnings }) {
      const { data, response, mode, attempts } = await service.quotes.create(exchange).withResponse();
      expect(response.status).toBe(profile.successStatus.createQuote);
      expect({ mode, attempts }).toEqual({ mode: 'test', attempts: 1 });
      expect(data).toMatchObject({ send_amount: 1000, from_currency: 'USD', to_currency: 'EUR' });
      for (const field of ['send_amount', 'fee', 'rate', 'receive_amount'] as const) {
        expect(data[field]).toBeTypeOf('number');
        expect(Number(rawAmount(data, field))).toBeCloseTo(data[field], 9);
      }
      expect(data.fee).toBe(feeOf(profile, 1000));
      expect(warnings).toEqual([]);
    },
  },
  {
    name: 'currencies are sent in upper case',
    async run({ service }) {
      const quote = await service.quotes.create({ ...exchange, from_currency: 'usd', to_currency: 'eur' });
      expect(quote).toMatchObject({ from_currency: 'USD', to_currency: 'EUR' });
    },
  },
  {
    name: 'equal currencies are sent to the service',
    async run({ service, profile }) {
      const result = service.quotes.create({ ...exchange, to_currency: 'USD' });
      if (profile.currencies.same === 'allow')
        expect(await result).toMatchObject({ rate: 1, to_currency: 'USD' });
      else expect(await errorOf(result)).toMatchObject({ name: 'ValidationError', status: 422 });
    },
  },
  {
    name: 'an unknown currency gives the ValidationError of the service',
    async run({ service, profile }) {
      const error = await errorOf(service.quotes.create({ ...exchange, to_currency: 'ZZZ' }));
      expect(error).toMatchObject({
        name: 'ValidationError',
        status: 422,
        type: isTyped(profile, 'validation') ? 'validation_error' : undefined,
        outcome: outcomeOf(profile, 'validation'),
        attempts: 1,
      });
    },
  },
  {
    name: 'invalid amounts and unknown fields are rejected before a request is sent',
    async run({ service, mock }) {
      for (const amount of [0.1 + 0.2, '0', '-1', '1e3', 'ten', '1234567890123456.00', Number.NaN, '1.001']) {
        const error = await errorOf(service.quotes.create({ ...exchange, amount }));
        expect(error).toMatchObject({ name: 'ValidationError', outcome: 'not_sent', attempts: 0 });
      }
      const misspelled = { ...exchange, currency: 'USD' };
      expect(await errorOf(service.quotes.create(misspelled))).toMatchObject({ outcome: 'not_sent' });
      expect(mock.sandbox.requests.list({ operation: 'createQuote' })).toHaveLength(0);
    },
  },
  {
    name: 'a quote is retried after a reset and a 500, and has the number of attempts',
    async run({ service, mock }) {
      mock.sandbox.faults.inject({ operation: 'createQuote', kind: 'reset_before_commit' });
      mock.sandbox.faults.inject({ operation: 'createQuote', kind: 'status', status: 500 });
      const { data, attempts } = await service.quotes.create(exchange).withResponse();
      expect({ attempts, sent: data.send_amount }).toEqual({ attempts: 3, sent: 1000 });
    },
  },
];
