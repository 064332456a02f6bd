import type { ClientContext } from '../transport/client-context.ts';
import { type Call, callOperation, startCall } from '../transport/call.ts';
import type { CallOptions } from '../transport/request.ts';
import type { Mode, Quote, QuoteInput, Unchecked } from '../values/models.ts';
import { type AmountSource, checkSent, readMoney } from '../values/money.ts';
import { prepareBody, quoteFields } from './request-body.ts';

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
      startCall(context, options, async (call) => {
        const { fields, json } = prepareBody(input, quoteFields, context.settings.maxDecimals);
        const request = { operation: 'createQuote', method: 'POST', path: '/quotes', body: json } as const;
        return callOperation(call, request, (data, { source }) => {
          const quote = readQuote(data, source);
          checkSent(quote, fields, source);
          return quote;
        });
      }),
  };
}

function readQuote(data: Unchecked<Quote>, source: AmountSource): Quote | undefined {
  const { rate, receive_amount } = data;
  if (rate === undefined || receive_amount === undefined) return undefined;
  return readMoney<Quote>({ record: data, source }, ['send_amount', 'fee', 'rate', 'receive_amount']);
}
