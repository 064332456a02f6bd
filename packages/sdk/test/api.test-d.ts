import { expectTypeOf, test } from 'vitest';
import type { Balance, Client } from '../src/index.ts';

declare const service: Client;

test('is typed by the contract', async () => {
  const { data } = await service.api.GET('/balance');
  expectTypeOf(data?.data).toEqualTypeOf<Balance | undefined>();
  // @ts-expect-error there is no such path
  void service.api.GET('/keys');
  // @ts-expect-error an id is needed
  void service.api.GET('/payments/{payment_id}');
});
