import { describe, expectTypeOf, it } from 'vitest';
import { type Client, createClient, type Mode } from '../src/index.ts';

declare const anyKey: string;
declare const variable: string | undefined;
const baseUrl = 'https://api.example.test/api/v1';

describe('Mode', () => {
  it("is 'test' or 'live'", () => {
    expectTypeOf<Mode>().toEqualTypeOf<'test' | 'live'>();
  });
});

describe('createClient', () => {
  it('returns a client for a key as a literal, a string or a function, and for the environment', () => {
    expectTypeOf(createClient({ apiKey: 'service_live_abc', baseUrl })).toEqualTypeOf<Client>();
    expectTypeOf(createClient({ apiKey: anyKey, baseUrl })).toEqualTypeOf<Client>();
    expectTypeOf(createClient({ apiKey: variable, baseUrl })).toEqualTypeOf<Client>();
    expectTypeOf(createClient({ apiKey: () => anyKey, baseUrl })).toEqualTypeOf<Client>();
    expectTypeOf(createClient()).toEqualTypeOf<Client>();
  });

  it('rejects unknown options', () => {
    expectTypeOf(createClient).toBeFunction();
    // @ts-expect-error the option is baseUrl
    createClient({ apiKey: anyKey, baseURL: baseUrl });
  });
});
