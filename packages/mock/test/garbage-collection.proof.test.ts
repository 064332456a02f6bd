import { describe, expect, it } from 'vitest';
import { createAddressPolicy } from '../src/webhooks/address.ts';
import { Deliveries } from '../src/webhooks/dispatcher.ts';
import { defaultProfile } from '../src/domain/profile.ts';
import { createClock } from '../src/state/clock.ts';
import { Changes } from '../src/state/changes.ts';
import { createFaults } from '../src/state/faults.ts';
import { storePayment, createStateByMode } from '../src/state/account-state.ts';
import { collectGarbage } from './collect-garbage.ts';
import { somePayment } from './some-payment.ts';
import { createStillMock, order } from './support.ts';

describe('replaced state', () => {
  it('is garbage collected', async () => {
    const deliveries = new Deliveries({
      onDefect() {},
      changes: new Changes(),
      clock: createClock('manual', 0),
      timeout: 1000,
      sender: async () => 200,
      addresses: createAddressPolicy([]),
      faults: createFaults('dfl', 'x'),
    });
    const forgotten = await (async () => {
      const accountState = createStateByMode({ id: 'acct_1', name: 'a' }, 'seed', defaultProfile).test;
      accountState.endpoint = { url: 'http://localhost:9/', secret: 'x' };
      const payment = somePayment();
      storePayment(accountState, payment);
      await deliveries.dispatch({ accountState, payment });
      expect([...accountState.deliveries.values()]).toMatchObject([{ state: 'acknowledged' }]);
      return new WeakRef(accountState);
    })();
    await deliveries.idle();
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
