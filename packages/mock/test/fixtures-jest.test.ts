// Uses the hooks of vitest and stubs of the jest hooks; the packaging check runs it with jest itself.
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
import { createFixtures, type RunnerHook, type RunnerHooks } from '@service/mock/jest';
import { createClient } from '@service/sdk';
import { order } from './support.ts';

const service = createFixtures({ clock: 'manual', seed: 42, hooks: { beforeEach, afterEach, afterAll } });

describe('createFixtures', () => {
  const met: AccountView[] = [];
  beforeEach(() => void met.push(service.account));

  it.each([1, 2])('creates a separate account for test %i, with a working client', async () => {
    const client = createClient(service.clientOptions);
    const { id } = await client.payments.create(order() as never);
    await service.mock.sandbox.clock.advance('4s');
    expect((await client.payments.retrieve(id)).status).toBe('completed');
    expect((await client.transactions.list({ type: 'payment' })).transactions).toHaveLength(1);
    expect(new Set(met.map(({ id: account }) => account)).size).toBe(met.length);
  });

  it('returns the same account throughout a test', () => {
    expect(service.account).toBe(met.at(-1));
    expect(service.clientOptions.apiKey).toBe(service.account.testKey);
  });
});

/** A stub of a test runner: collects the hooks and runs a test between them. */
function createRunner(): {
  hooks: RunnerHooks;
  test: (body: () => unknown) => Promise<void>;
  end: () => Promise<void>;
} {
  const before: Parameters<RunnerHook>[0][] = [];
  const after: Parameters<RunnerHook>[0][] = [];
  const last: Parameters<RunnerHook>[0][] = [];
  const runAll = async (hooks: Parameters<RunnerHook>[0][]): Promise<void> => {
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

describe('createFixtures with jest hooks', () => {
  it('finds global hooks and names accounts after tests', async () => {
    const { hooks, test } = createRunner();
    for (const [name, hook] of Object.entries(hooks)) vi.stubGlobal(name, hook);
    vi.stubGlobal('expect', { getState: () => ({ currentTestName: 'payments pays' }) });
    onTestFinished(() => void vi.unstubAllGlobals());
    const fixture = createFixtures();
    const names: string[] = [];
    for (let i = 0; i < 2; i += 1) await test(() => names.push(fixture.account.name));
    expect(names).toEqual(['payments pays', 'payments pays (2)']);
  });

  it('removes the endpoints of a finished test', async () => {
    const { hooks, test } = createRunner();
    const fixture = createFixtures({ hooks });
    let account: AccountView | undefined;
    await test(() => {
      ({ account } = fixture);
      fixture.mock.sandbox.webhooks.setEndpoint({ account, url: 'http://127.0.0.1:9/' });
    });
    expect(() => fixture.mock.sandbox.webhooks.rotateSecret({ account: account! })).toThrow(/no endpoint/);
  });

  it("creates and closes a mock for each test with scope: 'test'", async () => {
    const { hooks, test } = createRunner();
    const fixture = createFixtures({ hooks, scope: 'test', clock: 'manual', start: '2026-01-31T12:00:00Z' });
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
  ])('closes its own mock at the end, and not a given one', async (options, closes) => {
    const { hooks, end } = createRunner();
    const { mock } = createFixtures({ hooks, ...options });
    const close = vi.spyOn(mock, 'close');
    await end();
    expect(close).toHaveBeenCalledTimes(closes ? 1 : 0);
  });

  it.each([
    ['account', 'testKey'],
    ['clientOptions', 'baseUrl'],
  ] as const)('throws for %s outside a test', async (field, property) => {
    const { hooks, test } = createRunner();
    const fixture = createFixtures({ hooks });
    const error = expect.objectContaining({
      name: 'SandboxError',
      code: 'invalid_state',
      message: expect.stringContaining(`Read service.${field} in a test or in beforeEach`),
    });
    expect(() => fixture[field]).toThrow(error);
    await test(() => expect(fixture[field]).toHaveProperty(property));
    expect(() => fixture[field]).toThrow(error);
  });

  it('throws without hooks', () => {
    for (const name of ['beforeEach', 'afterEach', 'afterAll']) expect(globalThis).not.toHaveProperty(name);
    expect(() => createFixtures()).toThrow(
      'createFixtures did not find beforeEach, afterEach, afterAll. Call it in a test file; where the hooks are not global, ' +
        'pass { hooks: { beforeEach, afterEach, afterAll } }.',
    );
    expect(() => createFixtures({ hooks: { beforeEach } as never })).toThrow(
      'createFixtures did not find afterEach, afterAll. hooks takes beforeEach, afterEach, afterAll.',
    );
  });

  it('registers no hook for an invalid option', () => {
    const hook = vi.fn<RunnerHook>();
    const hooks = { beforeEach: hook, afterEach: hook, afterAll: hook };
    expect(() => createFixtures({ hooks, clock: 'slow' as never })).toThrow(/clock must be/);
    expect(() => createFixtures({ hooks, scope: 'worker' as never })).toThrow(/scope must be/);
    expect(hook).not.toHaveBeenCalled();
  });
});
