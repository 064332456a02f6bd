import { prepareQuote } from '../body.ts';
import type { JsonObject } from '../json.ts';
import type { Mode, Quote, QuoteInput } from '../models.ts';
import { readMoney } from '../money.ts';
import { type Call, type CallOptions, type Reading, startCall } from '../transport/call.ts';
import type { Transport } from '../transport/send.ts';
import type { Api } from './api.ts';

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
export function createQuotes<M extends Mode>(api: Api, transport: Transport): Quotes<M> {
  return {
    create: (input, options) =>
      startCall(transport, options, async ({ ask }) => {
        const { fields, json } = prepareQuote(input);
        return ask(
          (init) => api.POST('/quotes', { ...init, body: fields, bodySerializer: () => json }),
          toQuote,
        );
      }),
  };
}

function toQuote(record: JsonObject, { source }: Reading): Quote | undefined {
  if (!('rate' in record && 'receive_amount' in record)) return undefined;
  return readMoney<Quote>({ record, source }, ['send_amount', 'fee', 'rate', 'receive_amount']);
}
