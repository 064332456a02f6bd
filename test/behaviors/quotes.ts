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
];
