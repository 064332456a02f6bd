import { prepareBody, quoteFields } from './request-body.ts';
import type { JsonObject } from '@service/internal';
import type { Mode, Quote, QuoteInput } from '../values/models.ts';
import { checkSent, readMoney, type AmountSource } from '../values/money.ts';
import { type Call, startCall } from '../transport/call.ts';
import type { CallOptions } from '../transport/call-options.ts';
import type { ClientContext } from '../transport/attempt.ts';

/** The quote operation: `POST /quotes`. */
export interface Quotes<M extends Mode = Mode> {
  /**
   * Quotes an exchange: the rate, the fee and the amount that the beneficiary would receive. A quote is
   * indicative and not stored.
   *
   * @throws {ValidationError} when the body is invalid; `not_sent` if the client found the error.
   * @throws {ServiceError} when the request fails for another reason.
   */
  readonly create: (body: QuoteInput, options?: CallOptions) => Call<Quote, M>;
}

/** Creates the quote operation of a client. */
export function createQuotes<M extends Mode>(context: ClientContext): Quotes<M> {
  return {
    create: (input, options) =>
      startCall(context, options, async ({ send }) => {
        const { fields, json } = prepareBody(input, quoteFields, context.settings.maxDecimals);
        return send({ operation: 'createQuote', path: '/quotes', body: json }, (record, { source }) => {
          const quote = toQuote(record, source);
          checkSent(quote, fields, source);
          return quote;
        });
      }),
  };
}

function toQuote(record: JsonObject, source: AmountSource): Quote | undefined {
  if (!('rate' in record && 'receive_amount' in record)) return undefined;
  return readMoney<Quote>({ record, source }, ['send_amount', 'fee', 'rate', 'receive_amount']);
}
