import { describe, expect, it } from 'vitest';
import { names, setUp } from './receiver.ts';
import { createCaller, createStillMock, order } from './support.ts';

// When moves of a manual clock resolve.

const testAccount = order({ amount: 1, beneficiary_account: 'SIM-PENDING' });

describe('clock.advance', () => {
  it('sends the first attempts of one instant in order', async () => {
    const { mock, post, received } = await setUp();
    const ids: unknown[] = [];
    for (let i = 0; i < 12; i += 1) ids.push((await post('/payments', order({ amount: 1 }))).body.data.id);
    await mock.sandbox.clock.advance('1s');
    expect(names(received.slice(12))).toEqual(Array.from({ length: 12 }, () => 'payment.processing'));
    const sent = received.slice(12).map(({ body }) => (JSON.parse(body) as { data: { id: string } }).data.id);
    expect(sent).toEqual(ids);
  });

  it('starts after an earlier move has ended, with its deliveries', async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<Response>();
    const { mock, post } = createStillMock({ fetch: () => released });
    mock.sandbox.webhooks.setEndpoint({ url: 'http://localhost:9/' });
    await post('/payments', testAccount);
    const moves = [mock.sandbox.clock.advance('1s'), mock.sandbox.clock.set('2026-01-31T12:00:10Z')];
    release(new Response());
    expect(await Promise.all(moves)).toEqual([
      { now: new Date('2026-01-31T12:00:01Z'), pending: 0 },
      { now: new Date('2026-01-31T12:00:10Z'), pending: 0 },
    ]);
  });

  it('is the same for two mocks with the same seed, with many accounts and a receiver that creates payments', async () => {
    const run = async (): Promise<unknown> => {
      const log: string[] = [];
      const { mock } = createStillMock({
        fetch: async (request) => {
          const { event, data } = (await request.json()) as { event: string; data: { id: string } };
          log.push(`${new URL(request.url).pathname} ${event} ${data.id}`);
          if (event === 'payment.processing') await callers[0]?.post('/payments', testAccount);
          return new Response(null, { status: log.length % 3 === 0 ? 500 : 200 });
        },
      });
      const callers = ['a', 'b', 'c'].map((name) => {
        const account = mock.sandbox.accounts.create({ name, balances: { USD: 10_000 } });
        mock.sandbox.webhooks.setEndpoint({ account, url: `http://localhost:9/${name}` });
        return createCaller(mock, account.testKey);
      });
      for (const { post } of callers)
        for (let i = 0; i < 4; i += 1) await post('/payments', order({ amount: 1 }));
      await mock.sandbox.clock.advance('1h');
      return [await mock.sandbox.stateHash(), log];
    };
    expect(await run()).toEqual(await run());
  });
});
