import { describe, expect, it } from 'vitest';
import { createMock, type MockOptions } from '@service/mock';
import { createCaller, createStillMock, order } from './support.ts';

describe('determinism', () => {
  it('uses no ids for rejected requests', async () => {
    const ids = async (rejections: number): Promise<unknown> => {
      const { post } = createStillMock();
      for (let i = 0; i < rejections; i += 1) await post('/payments', order({ amount: 1e9 }));
      return (await post('/payments', order())).body.data;
    };
    expect(await ids(0)).toEqual(await ids(5));
  });
});

describe('two mocks in one process', () => {
  it.each([
    ['their seeds differ', [{ seed: 'one' }, { seed: 'two' }]],
    ['they have no seed', [{}, {}]],
  ])('differ in every id, key and secret when %s', async (_, options) => {
    const run = async (option: MockOptions): Promise<string[]> => {
      const mock = createMock(option);
      const { post, get } = createCaller(mock);
      const { secret } = mock.sandbox.webhooks.setEndpoint({ url: 'http://localhost:9/' });
      await post('/payments', order());
      const { body } = await get('/transactions');
      const ids = JSON.stringify(body).match(/(?:pay|txn)_\w+/g) ?? [];
      return [...Object.values({ ...mock.account, name: '' }), secret, ...ids];
    };
    const [a = [], b = []] = await Promise.all(options.map(run));
    expect(a.filter((text) => text !== '' && b.includes(text))).toEqual([]);
  });
});

describe('createMock', () => {
  it('treats an undefined option as absent', async () => {
    const names = 'clock start seed profile accounts baseUrl requestLog'.split(' ');
    for (const name of names) await createMock({ [name]: undefined }).close();
    expect(names).toHaveLength(7);
  });

  it('is disposed of by `await using`', async () => {
    let mock;
    {
      await using inner = createMock({ clock: 'manual' });
      mock = inner;
    }
    expect((await createCaller(mock).get('/balance')).status).toBe(200);
  });
});
