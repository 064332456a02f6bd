import { expectTypeOf, test } from 'vitest';
import { type AuthScheme, type Client, createClient, type Mode, type ModeOf } from '../src/index.ts';

declare const anyKey: string;
declare const variable: string | undefined;
const baseUrl = 'https://api.example.test/api/v1';

test('tells the mode from the literal type of the key', () => {
  expectTypeOf(createClient({ apiKey: 'service_test_abc', baseUrl })).toEqualTypeOf<Client<'test'>>();
  expectTypeOf(createClient({ apiKey: 'service_live_abc', baseUrl })).toEqualTypeOf<Client<'live'>>();
  const fromVault = async () => 'service_live_abc' as const;
  expectTypeOf(createClient({ apiKey: fromVault, baseUrl })).toEqualTypeOf<Client<'live'>>();
});

test('leaves the mode open for a plain string, a function of one, and the environment', () => {
  expectTypeOf(createClient({ apiKey: anyKey, baseUrl })).toEqualTypeOf<Client>();
  expectTypeOf(createClient({ apiKey: variable, baseUrl })).toEqualTypeOf<Client>();
  expectTypeOf(createClient({ apiKey: () => anyKey, baseUrl })).toEqualTypeOf<Client>();
  expectTypeOf(createClient()).toEqualTypeOf<Client>();
});

test('knows two modes', () => {
  expectTypeOf<Mode>().toEqualTypeOf<'test' | 'live'>();
});

test('does not take a prefix for a key', () => {
  expectTypeOf<ModeOf<'service_test_'>>().toEqualTypeOf<never>();
});

test('keeps live and test apart', () => {
  expectTypeOf<Client<'test'>>().not.toExtend<Client<'live'>>();
  expectTypeOf<Client<'live'>>().not.toExtend<Client<'test'>>();
  expectTypeOf<Client<'live'>>().toExtend<Client>();
});

test('refuses unknown options', () => {
  expectTypeOf<AuthScheme>().toEqualTypeOf<'bearer' | 'x-api-key'>();
  // @ts-expect-error it is baseUrl
  createClient({ apiKey: anyKey, baseURL: baseUrl });
  // @ts-expect-error there are two ways to send a key
  createClient({ apiKey: anyKey, baseUrl, auth: 'basic' });
});
