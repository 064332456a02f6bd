import { createMock, type Mock, type MockOptions } from '@service/mock';
import { createHandlers } from '@service/mock/msw';
import { listen, type MockServer } from '@service/mock/node';
import type { Payment } from '@service/contract';
import type { RequestHandler } from 'msw';
import { expectTypeOf, test } from 'vitest';

test('a mock is fetch, an account and a control', () => {
  expectTypeOf(createMock).returns.toEqualTypeOf<Mock>();
  expectTypeOf<Mock['fetch']>().toEqualTypeOf<typeof globalThis.fetch>();
  expectTypeOf<Mock['account']['testKey']>().toBeString();
  expectTypeOf<Mock['sandbox']['payments']['complete']>().returns.toEqualTypeOf<Payment>();
});

test('options are exact', () => {
  expectTypeOf<{ clock: 'manual'; seed: 42 }>().toExtend<MockOptions>();
  expectTypeOf<{ clock: { speed: 60 } }>().toExtend<MockOptions>();
  expectTypeOf<{ clock: 'fast' }>().not.toExtend<MockOptions>();
  // @ts-expect-error an option that does not exist
  createMock({ clocks: 'manual' });
});

test('durations are milliseconds or text with a unit', () => {
  const { clock } = createMock({ clock: 'manual' }).sandbox;
  expectTypeOf(clock.advance).toBeCallableWith('1.5h');
  expectTypeOf(clock.advance).toBeCallableWith(250);
  // @ts-expect-error a text without a unit
  void clock.advance('3');
});

test('the ways in take a mock', () => {
  expectTypeOf(createHandlers).parameter(0).toEqualTypeOf<Mock>();
  expectTypeOf(createHandlers).returns.toEqualTypeOf<RequestHandler[]>();
  expectTypeOf(listen).returns.resolves.toEqualTypeOf<MockServer>();
});
