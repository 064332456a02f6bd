import { describe, expect, it } from 'vitest';
import type { Mock } from '@service/mock';
import { type ControlAnswered, serveControl } from './control-support.ts';
import { createPlainCaller } from './support.ts';

/** A list of the control API, oldest first. */
type Listed = readonly { readonly id: string }[];
type Sandbox = Mock['sandbox'];
type Lists = { total: number } & Record<string, Listed>;

const lists = (answered: ControlAnswered): Lists => answered.body as unknown as Lists;

const payments = 250;

/** Serves a mock with payments and an endpoint that collects their events. */
async function serveMany() {
  const served = await serveControl();
  const { sandbox } = served.mock;
  sandbox.webhooks.collect();
  const { pay } = createPlainCaller(served.mock);
  for (let count = 0; count < payments; count += 1) await pay({ amount: 1 });
  await sandbox.idle();
  return served;
}

const kinds: readonly [path: string, name: string, list: (sandbox: Sandbox) => Listed][] = [
  ['/requests', 'requests', ({ requests }) => requests.list()],
  ['/webhooks/deliveries', 'deliveries', ({ webhooks }) => webhooks.deliveries()],
  ['/webhooks/collected', 'events', ({ webhooks }) => webhooks.collected()],
];

describe('a list of the control API', () => {
  it('has the newest 100 items, up to 1000, and their total number', async () => {
    const { ask, mock } = await serveMany();
    for (const [path, name, listAll] of kinds) {
      const all = listAll(mock.sandbox).map(({ id }) => id);
      expect(all.length).toBeGreaterThanOrEqual(payments);
      const get = async (query: string): Promise<[ids: string[], total: number]> => {
        const body = lists(await ask('GET', `${path}?${query}`));
        return [(body[name] ?? []).map(({ id }) => id), body.total];
      };
      const total = all.length;
      expect(await get('')).toEqual([all.slice(-100), total]);
      expect(await get('limit=1000')).toEqual([all, total]);
      expect(await get('limit=7&offset=3')).toEqual([all.slice(-10, -3), total]);
      expect(await get(`limit=100&offset=${total - 2}`)).toEqual([all.slice(0, 2), total]);
      expect(await get(`offset=${total}`)).toEqual([[], total]);
      for (const query of ['limit=0', 'limit=1001', 'limit=-1', 'offset=-1', 'limit=1.5', 'limit=all'])
        expect([query, (await ask('GET', `${path}?${query}`)).status]).toEqual([query, 400]);
    }
  });

  it('of requests counts those of its filter, and in process has all or a part', async () => {
    const { ask, get, mock } = await serveMany();
    const { requests, webhooks } = mock.sandbox;
    const all = requests.list();
    expect(all).toHaveLength(payments);
    expect(requests.list({ limit: 2, offset: 1 })).toEqual(all.slice(-3, -1));
    expect(requests.list({ operation: 'getBalance', limit: 2 })).toEqual([]);
    expect(webhooks.deliveries({ limit: 2 })).toEqual(webhooks.deliveries().slice(-2));
    expect(webhooks.collected({ limit: 2 })).toEqual(webhooks.collected().slice(-2));

    await get('/balance');
    const { requests: page, total } = lists(await ask('GET', '/requests?operation=createPayment&limit=2'));
    expect([page?.length, total]).toEqual([2, payments]);
    expect(lists(await ask('GET', '/requests?operation=getBalance')).total).toBe(1);
  });
});
