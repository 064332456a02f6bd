import { describe, expect, it } from 'vitest';
import { collectGarbage } from './collect-garbage.ts';
import { partsOf } from './control-support.ts';
import { createStillMock, order } from './support.ts';

describe('replaced state', () => {
  it('is garbage collected, with its deliveries', async () => {
    const { mock, post } = createStillMock();
    mock.sandbox.webhooks.collect();
    const readState = () => partsOf(mock).state.accounts.get(mock.account.id)!.byMode.test;
    const forgotten = await (async () => {
      await post('/payments', order());
      await mock.sandbox.idle();
      expect([...readState().deliveries.values()]).toMatchObject([{ state: 'acknowledged' }]);
      return new WeakRef(readState());
    })();
    mock.sandbox.reset();
    await mock.sandbox.idle();
    await collectGarbage();
    expect(forgotten.deref()).toBeUndefined();
  });
});

describe('a webhook request', () => {
  it('is garbage collected after its response', async () => {
    const requests: WeakRef<Request>[] = [];
    const { mock, post } = createStillMock({
      fetch: async (request) => {
        requests.push(new WeakRef(request));
        return new Response();
      },
    });
    mock.sandbox.webhooks.setEndpoint({ url: 'http://localhost:9/' });
    await post('/payments', order());
    await mock.sandbox.idle();
    await mock.close();
    await collectGarbage();
    expect(requests.map((request) => request.deref())).toEqual([undefined]);
  });
});
