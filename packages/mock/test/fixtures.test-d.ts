import type { AccountView, Mock } from '@service/mock';
import { createFixtures as createJestFixtures, type ServiceFixture } from '@service/mock/jest';
import { type ClientAccess, createFixtures, type FixtureOptions } from '@service/mock/vitest';
import { createClient } from '@service/sdk';
import { afterAll, afterEach, beforeEach, describe, expectTypeOf, it, test as base } from 'vitest';

const service = base.extend(createFixtures({ clock: 'manual', balances: { USD: 1 } }));

service('tests of vitest get what the fixtures are called', ({ mock, account, clientOptions }) => {
  expectTypeOf(mock).toEqualTypeOf<Mock>();
  expectTypeOf(account).toEqualTypeOf<AccountView>();
  expectTypeOf(clientOptions).toEqualTypeOf<ClientAccess>();
  expectTypeOf(createClient).toBeCallableWith(clientOptions);
});

service.beforeAll(({ mock }) => {
  expectTypeOf(mock).toEqualTypeOf<Mock>();
});

describe('the types of createFixtures', () => {
  it('the fixtures can be extended', () => {
    const extended = service.extend<{ id: string }>({
      id: async ({ account }, use) => {
        expectTypeOf(account).toEqualTypeOf<AccountView>();
        await use(account.id);
      },
    });
    extended('x', ({ id, mock }) => {
      expectTypeOf(id).toBeString();
      expectTypeOf(mock).toEqualTypeOf<Mock>();
    });
  });

  it('the jest fixtures accept the hooks of any runner', () => {
    expectTypeOf(createJestFixtures).returns.toEqualTypeOf<ServiceFixture>();
    expectTypeOf(createJestFixtures).toBeCallableWith({ hooks: { beforeEach, afterEach, afterAll } });
    expectTypeOf<ServiceFixture['clientOptions']>().toEqualTypeOf<ClientAccess>();
  });

  it('options are exact', () => {
    expectTypeOf<{ clock: 'manual'; scope: 'test' }>().toExtend<FixtureOptions>();
    expectTypeOf<{ scope: 'worker' }>().not.toExtend<FixtureOptions>();
    // @ts-expect-error an option that does not exist
    createFixtures({ clocks: 'manual' });
  });
});
