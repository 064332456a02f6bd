// With the hooks of vitest, and with stand-ins for those of jest; jest itself runs it when the packages are checked.
import {
  afterAll,
  afterEach,
  beforeEach,
  describe,
  expect,
  it,
  type MockInstance,
  onTestFinished,
  vi,
} from 'vitest';
import { createMock, type AccountView } from '@service/mock';
import { createFixture, type Hook, type Hooks } from '@service/mock/jest';
import { createClient } from '@service/sdk';
import { order } from './support.ts';

const service = createFixture({ clock: 'manual', seed: 42, hooks: { beforeEach, afterEach, afterAll } });

describe('createFixture', () => {
  const met: AccountView[] = [];
  beforeEach(() => void met.push(service.account));

  it.each([1, 2])('gives test %i an account of its own, and a client that pays', async () => {
    const client = createClient(service.clientOptions);
    const { id } = await client.payments.create(order() as never);
    await service.mock.sandbox.clock.advance('4s');
    expect((await client.payments.retrieve(id)).status).toBe('completed');
    expect((await client.transactions.list({ type: 'payment' })).transactions).toHaveLength(1);
    expect(new Set(met.map(({ id: account }) => account)).size).toBe(met.length);
  });

  it('gives the same account throughout a test', () => {
    expect(service.account).toBe(met.at(-1));
    expect(service.clientOptions.apiKey).toBe(service.account.testKey);
  });
});

/** Stands in for a runner: collects the hooks, and runs a test between them. */
function createRunner(): {
  hooks: Hooks;
  test: (body: () => unknown) => Promise<void>;
  end: () => Promise<void>;
} {
  const before: Parameters<Hook>[0][] = [];
  const after: Parameters<Hook>[0][] = [];
  const last: Parameters<Hook>[0][] = [];
  const runAll = async (hooks: Parameters<Hook>[0][]): Promise<void> => {
    for (const hook of hooks) await hook();
  };
  return {
    hooks: {
      beforeEach: (hook) => before.push(hook),
      afterEach: (hook) => after.push(hook),
      afterAll: (hook) => last.push(hook),
    },
    async test(body) {
      await runAll(before);
      await body();
      await runAll(after);
    },
    end: () => runAll(last),
  };
}

describe('createFixture with hooks of jest', () => {
  it('finds them where they are global, and names accounts after tests', async () => {
    const { hooks, test } = createRunner();
    for (const [name, hook] of Object.entries(hooks)) vi.stubGlobal(name, hook);
    vi.stubGlobal('expect', { getState: () => ({ currentTestName: 'payments pays' }) });
    onTestFinished(() => void vi.unstubAllGlobals());
    const fixture = createFixture();
    const names: string[] = [];
    for (let i = 0; i < 2; i += 1) await test(() => names.push(fixture.account.name));
    expect(names).toEqual(['payments pays', 'payments pays (2)']);
  });

  it('opens no account for a test that does not ask', async () => {
    const { hooks, test } = createRunner();
    const fixture = createFixture({ hooks });
    await test(() => {});
    expect(fixture.mock.sandbox.accounts.list()).toHaveLength(1);
  });

  it('has its mock from the start, for handlers that are set up at the top of a file', () => {
    const { mock } = createFixture({ hooks: createRunner().hooks, seed: 7 });
    expect(mock.account).toEqual(createMock({ seed: 7 }).account);
  });

  it('removes the endpoints of a test that has ended', async () => {
    const { hooks, test } = createRunner();
    const fixture = createFixture({ hooks });
    let account: AccountView | undefined;
    await test(() => {
      ({ account } = fixture);
      fixture.mock.sandbox.webhooks.setEndpoint({ account, url: 'http://127.0.0.1:9/' });
    });
    expect(() => fixture.mock.sandbox.webhooks.rotateSecret({ account: account! })).toThrow(/no endpoint/);
  });

  it("gives each test a mock of its own with scope: 'test', and closes it", async () => {
    const { hooks, test } = createRunner();
    const fixture = createFixture({ hooks, scope: 'test', clock: 'manual' });
    const mocks = new Set<unknown>();
    const closes: MockInstance[] = [];
    for (let i = 0; i < 2; i += 1) {
      await test(async () => {
        mocks.add(fixture.mock);
        await fixture.mock.sandbox.clock.advance('1s');
        expect(fixture.mock.sandbox.clock.now()).toEqual(new Date('2026-01-31T12:00:01Z'));
        expect(fixture.mock.sandbox.accounts.get(fixture.account)).toEqual(fixture.account);
        closes.push(vi.spyOn(fixture.mock, 'close'));
      });
    }
    expect(mocks.size).toBe(2);
    for (const close of closes) expect(close).toHaveBeenCalledOnce();
    expect(() => fixture.mock).toThrow(/There is no mock outside of a test/);
  });

  it.each([
    [{}, true],
    [{ mock: createMock({ clock: 'manual' }) }, false],
  ])('closes at the end the mock that it made, and no other', async (options, closes) => {
    const { hooks, end } = createRunner();
    const { mock } = createFixture({ hooks, ...options });
    const close = vi.spyOn(mock, 'close');
    await end();
    expect(close).toHaveBeenCalledTimes(closes ? 1 : 0);
  });

  it.each(['account', 'clientOptions'] as const)(
    'refuses to show its %s outside of a test',
    async (field) => {
      const { hooks, test } = createRunner();
      const fixture = createFixture({ hooks });
      const error = expect.objectContaining({
        name: 'SandboxError',
        code: 'invalid_state',
        message: expect.stringContaining(`Read service.${field} in a test or in beforeEach`),
      });
      expect(() => fixture[field]).toThrow(error);
      await test(() => expect(fixture[field]).toBeDefined());
      expect(() => fixture[field]).toThrow(error);
    },
  );

  it('refuses to work without hooks', () => {
    for (const name of ['beforeEach', 'afterEach', 'afterAll']) expect(globalThis).not.toHaveProperty(name);
    expect(() => createFixture()).toThrow(
      'createFixture finds no beforeEach, afterEach, afterAll. Call it in a test file; where the hooks are not global, ' +
        'pass { hooks: { beforeEach, afterEach, afterAll } }.',
    );
    expect(() => createFixture({ hooks: { beforeEach } as never })).toThrow(
      'createFixture finds no afterEach, afterAll. hooks takes beforeEach, afterEach, afterAll.',
    );
  });

  it('registers no hook when it refuses an option', () => {
    const hook = vi.fn<Hook>();
    const hooks = { beforeEach: hook, afterEach: hook, afterAll: hook };
    expect(() => createFixture({ hooks, clock: 'slow' as never })).toThrow(/clock must be/);
    expect(() => createFixture({ hooks, scope: 'worker' as never })).toThrow(/scope must be/);
    expect(hook).not.toHaveBeenCalled();
  });
});
