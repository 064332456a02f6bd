import { expect } from 'vitest';
import { type Behavior, errorOf, order } from './context.ts';

/** Behaviors of every call. */
export const calls: readonly Behavior[] = [
  {
    name: 'live and test mode of an account are separate',
    async run({ open, service, mock }) {
      const baseUrl = mock.baseUrl.replace('http:', 'https:');
      const live = open({ apiKey: mock.account.liveKey, baseUrl });
      const { mode, data } = await live.balance.retrieve().withResponse();
      expect(mode).toBe('live');
      expect(data.balances.map(({ balance }) => balance)).toEqual([0, 0, 0]);
      const { id } = await service.payments.create(order);
      expect(await errorOf(live.payments.retrieve(id))).toMatchObject({
        name: 'ValidationError',
        outcome: 'not_sent',
      });
    },
  },
];
