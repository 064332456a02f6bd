import { describe, expectTypeOf, it } from 'vitest';
import { createApi } from '../src/api.ts';
import type { Balance, Client } from '../src/index.ts';

declare const client: Client;

describe('createApi', () => {
  it('is typed by the contract', async () => {
    const { data } = await createApi(client).GET('/balance');
    expectTypeOf(data?.data).toEqualTypeOf<Balance | undefined>();
    // @ts-expect-error the path does not exist
    void createApi(client).GET('/keys');
    // @ts-expect-error the id is required
    void createApi(client).GET('/payments/{payment_id}');
  });
});
