import { isRecord } from '@service/internal';
import type { ClientContext } from '../transport/client-context.ts';
import { type Call, callOperation, startCall } from '../transport/call.ts';
import type { CallOptions } from '../transport/request.ts';
import type { ServiceResponse } from '../transport/response.ts';
import type { Balance, Mode, Unchecked, Wallet } from '../values/models.ts';
import { readMoney } from '../values/money.ts';

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
      startCall(context, options, (call) =>
        callOperation(call, { operation: 'getBalance', method: 'GET', path: '/balance' }, readBalance),
      ),
  };
}

function readBalance(data: Unchecked<Balance>, { source }: ServiceResponse): Balance | undefined {
  if (!Array.isArray(data.balances)) return undefined;
  const balances = data.balances.map((record: unknown, index) =>
    isRecord(record)
      ? readMoney<Wallet>({ record, source, path: ['data', 'balances', index] }, ['balance'])
      : undefined,
  );
  return balances.includes(undefined) ? undefined : { ...data, balances: balances as Wallet[] };
}
