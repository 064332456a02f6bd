import { describe, expectTypeOf, it } from 'vitest';
import { type Client, createClient, type Mode } from '../src/index.ts';

declare const anyKey: string;
declare const variable: string | undefined;
const baseUrl = 'https://api.example.test/api/v1';

describe('the mode of a client', () => {
  it('is inferred from the literal type of the API key', () => {
    expectTypeOf(createClient({ apiKey: 'service_test_abc', baseUrl })).toEqualTypeOf<Client<'test'>>();
    expectTypeOf(createClient({ apiKey: 'service_live_abc', baseUrl })).toEqualTypeOf<Client<'live'>>();
    const fromVault = async () => 'service_live_abc' as const;
    expectTypeOf(createClient({ apiKey: fromVault, baseUrl })).toEqualTypeOf<Client<'live'>>();
  });

  it('is open for a plain string, a function of one, and the environment', () => {
    expectTypeOf(createClient({ apiKey: anyKey, baseUrl })).toEqualTypeOf<Client>();
    expectTypeOf(createClient({ apiKey: variable, baseUrl })).toEqualTypeOf<Client>();
    expectTypeOf(createClient({ apiKey: () => anyKey, baseUrl })).toEqualTypeOf<Client>();
    expectTypeOf(createClient()).toEqualTypeOf<Client>();
  });

  it("is 'test' or 'live'", () => {
    expectTypeOf<Mode>().toEqualTypeOf<'test' | 'live'>();
  });

  it('is never for a bare prefix', () => {
    expectTypeOf(createClient({ apiKey: 'service_test_', baseUrl })).toEqualTypeOf<Client<never>>();
  });

  it('distinguishes live from test', () => {
    expectTypeOf<Client<'test'>>().not.toExtend<Client<'live'>>();
    expectTypeOf<Client<'live'>>().not.toExtend<Client<'test'>>();
    expectTypeOf<Client<'live'>>().toExtend<Client>();
  });
});

describe('createClient', () => {
  it('rejects unknown options', () => {
    expectTypeOf(createClient).toBeFunction();
    // @ts-expect-error the option is baseUrl
    createClient({ apiKey: anyKey, baseURL: baseUrl });
  });
});
