import { createMock, type RequestView, type MockOptions } from '@service/mock';
import { describe, expectTypeOf, it } from 'vitest';
import type { Operation, Operations } from '../src/control/operation.ts';

describe('the types of createMock', () => {
  it('options are exact', () => {
    expectTypeOf<{ clock: 'manual'; seed: 42 }>().toExtend<MockOptions>();
    expectTypeOf<{ clock: { speed: 60 } }>().toExtend<MockOptions>();
    expectTypeOf<{ clock: 'fast' }>().not.toExtend<MockOptions>();
    // @ts-expect-error an option that does not exist
    createMock({ clocks: 'manual' });
  });

  it('durations are milliseconds or text with a unit', () => {
    const { clock } = createMock({ clock: 'manual' }).sandbox;
    expectTypeOf(clock.advance).toBeCallableWith('1.5h');
    expectTypeOf(clock.advance).toBeCallableWith(250);
    // @ts-expect-error a text without a unit
    void clock.advance('3');
  });

  it('a fault accepts only the fields of its kind', () => {
    const { faults } = createMock().sandbox;
    const inject = expectTypeOf(faults.inject);
    inject.toBeCallableWith({ operation: 'createPayment', kind: 'reset_after_commit', times: 1 });
    inject.toBeCallableWith({ kind: 'status', status: 503, retryAfter: 2, commit: true });
    inject.toBeCallableWith({ kind: 'latency', ms: 5, probability: 0.1, times: 'unlimited' });
    // @ts-expect-error a latency without its length
    faults.inject({ kind: 'latency' });
    // @ts-expect-error whether a reset commits is in its name
    faults.inject({ kind: 'reset_after_commit', commit: true });
    // @ts-expect-error an operation that does not exist
    faults.inject({ kind: 'html', operation: 'pay' });
  });

  it('a logged response is distinct from a lost connection', () => {
    const { requests } = createMock({ requestLog: { requests: 5 } }).sandbox;
    const [entry] = requests.list({ operation: 'createPayment' });
    expectTypeOf(entry).toEqualTypeOf<RequestView | undefined>();
    expectTypeOf<Exclude<RequestView['response'], object>>().toEqualTypeOf<'connection_lost' | null>();
  });
});

describe('the operation of a function', () => {
  type Credit = Operations<{ credit: (deposit: { account?: string; amount: number }) => boolean }>['credit'];

  it('has a schema of each field', () => {
    expectTypeOf<Operation<boolean, 'account' | 'amount'>>().toExtend<Credit>();
    expectTypeOf<Operation<boolean, 'amount'>>().not.toExtend<Credit>();
    expectTypeOf<Operation<number, 'account' | 'amount'>>().not.toExtend<Credit>();
  });

  it('names its field itself if the argument can be text', () => {
    type Get = Operations<{ get: (account?: string | { id: string }) => void }>['get'];
    expectTypeOf<Operation<void, 'account'>>().toExtend<Get>();
  });
});
