import type { Mock } from '@service/mock';
import type { Receiver } from './receiver.ts';

/** One mode of an account, with its own webhook endpoint. */
export interface Tenant {
  /** The endpoint name in the receiver. */
  readonly endpoint: string;
  readonly account: string;
  readonly mode: 'test' | 'live';
  /** Returns the current API key. */
  readonly key: () => string;
  /** The ids of the payments with the response 201, by purpose. */
  readonly paid: Map<string, string>;
}

/** Creates accounts with balances, and an endpoint per account and mode. */
export function createTenants({ sandbox }: Mock, receiver: Receiver, accounts: number): Tenant[] {
  return Array.from({ length: accounts }, () => {
    const { id: account } = sandbox.accounts.create({ balances: { USD: 500_000, EUR: 500_000, JPY: 0 } });
    sandbox.wallets.credit({ account, mode: 'live', currency: 'USD', amount: 500_000 });
    return (['test', 'live'] as const).map((mode): Tenant => {
      const endpoint = `${account}/${mode}`;
      const { secret } = sandbox.webhooks.setEndpoint({ account, mode, url: receiver.urlOf(endpoint) });
      receiver.setSecret(endpoint, secret);
      const key = (): string => sandbox.accounts.get(account)[mode === 'test' ? 'testKey' : 'liveKey'];
      return { endpoint, account, mode, key, paid: new Map() };
    });
  }).flat();
}
