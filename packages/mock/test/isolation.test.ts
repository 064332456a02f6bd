import { describe, expect, it } from 'vitest';
import { createMock } from '@service/mock';
import { createCaller, createStillMock, order } from './support.ts';

describe('determinism', () => {
  it('ends without a seed: keys and ids differ', async () => {
    const [one, other] = await Promise.all(
      [createMock(), createMock()].map(async (mock) => [
        mock.account.testKey,
        (await createCaller(mock).post('/payments', order())).body.data.id,
      ]),
    );
    expect(one!.filter((text) => other!.includes(text))).toEqual([]);
  });

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
  it('differ in every id, key and secret when their seeds differ', async () => {
    const run = async (seed: string): Promise<string[]> => {
      const { mock, post, get } = createStillMock({ seed });
      const { secret } = mock.sandbox.webhooks.setEndpoint({ url: 'http://localhost:9/' });
      await post('/payments', order());
      const { body } = await get('/transactions');
      const ids = JSON.stringify(body).match(/(?:pay|txn)_\w+/g) ?? [];
      return [...Object.values({ ...mock.account, name: '' }), secret, ...ids];
    };
    const [a, b] = await Promise.all([run('one'), run('two')]);
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
