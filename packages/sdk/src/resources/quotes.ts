import { prepareBody, quoteRules } from './body.ts';
import type { JsonObject } from '../values/json.ts';
import type { Mode, Quote, QuoteInput } from '../values/models.ts';
import { checkSent, readMoney, type Source } from '../values/money.ts';
import { type Call, startCall } from '../transport/call.ts';
import type { CallOptions } from '../transport/call-options.ts';
import type { Transport } from '../transport/attempt.ts';

/** Quotes exchanges: `POST /quotes` (spec §4). */
export type Quotes<M extends Mode = Mode> = {
  /**
   * Quotes an exchange: rate, fee and what a beneficiary would receive. Indicative; nothing is stored.
   *
   * @throws ValidationError for a body that is wrong, `not_sent` where it is seen before sending.
   * @throws ServiceError of another class for anything else that fails.
   */
  readonly create: (body: QuoteInput, options?: CallOptions) => Call<Quote, M>;
};

/** Makes the quotes of a client. */
export function createQuotes<M extends Mode>(transport: Transport): Quotes<M> {
  return {
    create: (input, options) =>
      startCall(transport, options, async ({ ask }) => {
        const { fields, json } = prepareBody(input, quoteRules, transport.settings.maxDecimals);
        return ask({ operation: 'createQuote', path: '/quotes', body: json }, (record, { source }) => {
          const quote = toQuote(record, source);
          checkSent(quote, fields, source);
          return quote;
        });
      }),
  };
}

function toQuote(record: JsonObject, source: Source): Quote | undefined {
  if (!('rate' in record && 'receive_amount' in record)) return undefined;
  return readMoney<Quote>({ record, source }, ['send_amount', 'fee', 'rate', 'receive_amount']);
}
