import { type JsonObject, readRows } from '../values/json.ts';
import type { Balance, Mode, Wallet } from '../values/models.ts';
import { readMoney } from '../values/money.ts';
import { type Call, type Reading, startCall } from '../transport/call.ts';
import type { CallOptions } from '../transport/call-options.ts';
import type { Transport } from '../transport/attempt.ts';

/** Reads the wallets of the account: `GET /balance` (spec §4). */
export type Balances<M extends Mode = Mode> = {
  /**
   * Retrieves every wallet with its available balance.
   *
   * @throws ServiceError
   */
  readonly retrieve: (options?: CallOptions) => Call<Balance, M>;
};

/** Makes the balance of a client. */
export function createBalances<M extends Mode>(transport: Transport): Balances<M> {
  return {
    retrieve: (options) =>
      startCall(transport, options, ({ ask }) =>
        ask({ operation: 'getBalance', path: '/balance' }, toBalance),
      ),
  };
}

function toBalance(data: JsonObject, { source }: Reading): Balance | undefined {
  const balances = readRows(data.balances, (record, index) =>
    readMoney<Wallet>({ record, source, path: ['data', 'balances', index] }, ['balance']),
  );
  return balances && { ...data, balances };
}
