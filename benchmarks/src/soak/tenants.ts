import type { Mock } from '@service/mock';
import type { Receiver } from './receiver.ts';

/** Is an account in one mode, which calls and has an endpoint of its own. */
export interface Tenant {
  /** The name of its endpoint. */
  readonly endpoint: string;
  readonly account: string;
  readonly mode: 'test' | 'live';
  /** Returns the API key of the moment. */
  readonly key: () => string;
  /** The ids of the payments that were answered with 201, by purpose. */
  readonly paid: Map<string, string>;
}

/** Opens accounts with money, and an endpoint for each mode of each. */
export function openTenants({ sandbox }: Mock, receiver: Receiver, accounts: number): Tenant[] {
  return Array.from({ length: accounts }, () => {
    const { id: account } = sandbox.accounts.create({ balances: { USD: 500_000, EUR: 500_000, JPY: 0 } });
    sandbox.wallets.credit({ account, mode: 'live', currency: 'USD', amount: 500_000 });
    return (['test', 'live'] as const).map((mode): Tenant => {
      const endpoint = `${account}/${mode}`;
      const { secret } = sandbox.webhooks.setEndpoint({ account, mode, url: receiver.urlOf(endpoint) });
      receiver.trust(endpoint, secret);
      const key = (): string => sandbox.accounts.get(account)[mode === 'test' ? 'testKey' : 'liveKey'];
      return { endpoint, account, mode, key, paid: new Map() };
    });
  }).flat();
}
