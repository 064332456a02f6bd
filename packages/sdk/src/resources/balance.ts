import type { JsonObject } from '@service/internal';
import { readRows } from '../values/json.ts';
import type { Balance, Mode, Wallet } from '../values/models.ts';
import { readMoney } from '../values/money.ts';
import { type Call, type ReadContext, startCall } from '../transport/call.ts';
import type { CallOptions } from '../transport/call-options.ts';
import type { ClientContext } from '../transport/attempt.ts';

/** The balance operation: `GET /balance`. */
export interface Balances<M extends Mode = Mode> {
  /**
   * Retrieves all wallets with their available balances.
   *
   * @throws {ServiceError} when the request fails.
   */
  readonly retrieve: (options?: CallOptions) => Call<Balance, M>;
}

/** Creates the balance operation of a client. */
export function createBalances<M extends Mode>(context: ClientContext): Balances<M> {
  return {
    retrieve: (options) =>
      startCall(context, options, ({ send }) =>
        send({ operation: 'getBalance', path: '/balance' }, toBalance),
      ),
  };
}

function toBalance(data: JsonObject, { source }: ReadContext): Balance | undefined {
  const balances = readRows(data.balances, (record, index) =>
    readMoney<Wallet>({ record, source, path: ['data', 'balances', index] }, ['balance']),
  );
  return balances && { ...data, balances };
}
