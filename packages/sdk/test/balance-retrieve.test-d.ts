import { expectTypeOf, test } from 'vitest';
import type { Balance, Client } from '../src/index.ts';

declare const service: Client;

test('promises the wallets', () => {
  expectTypeOf(service.balance.retrieve()).resolves.toEqualTypeOf<Balance>();
  expectTypeOf<Balance['balances'][number]>().toEqualTypeOf<{ balance: number; currency: string }>();
});
