import { describe, expectTypeOf, it } from 'vitest';
import type { Balance, Client } from '../src/index.ts';

declare const client: Client;

describe('balance.retrieve', () => {
  it('returns the wallets', () => {
    expectTypeOf(client.balance.retrieve()).resolves.toEqualTypeOf<Balance>();
    expectTypeOf<Balance['balances'][number]>().toEqualTypeOf<{ balance: number; currency: string }>();
  });
});
