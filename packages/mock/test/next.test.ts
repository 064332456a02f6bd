import { mountSandbox } from '@service/mock/next';
import { describe, expect, it } from 'vitest';

describe('mountSandbox', () => {
  const at = { params: Promise.resolve({ path: ['api', 'v1', 'balance'] }) };
  const request = (mount: string): Request =>
    new Request(`http://localhost:3000${mount}/api/v1/balance`, {
      headers: { 'X-API-Key': 'service_test_of-the-app' },
    });

  it('tries again after a store that fails', async () => {
    const texts: (() => Promise<string | null>)[] = [
      () => Promise.reject(new Error('no connection')),
      () => Promise.resolve('{}'),
      () => Promise.resolve(null),
    ];
    const saved: string[] = [];
    const defects: unknown[] = [];
    const { GET } = mountSandbox({
      accounts: 'open',
      onDefect: (error) => defects.push(error),
      store: { load: () => texts.shift()!(), save: async (text) => saved.push(text) },
    });
    const failed = await GET(request('/retry'), at);
    expect([failed.status, await failed.json()]).toMatchObject([500, { error: { type: 'server_error' } }]);
    expect(defects).toEqual([new Error('no connection')]);
    await expect(GET(request('/retry'), at)).rejects.toThrow('is not the state of a sandbox');
    expect((await GET(request('/retry'), at)).status).toBe(200);
    expect(saved.length).toBe(1);
    expect(JSON.parse(saved[0]!)).toMatchObject({ format: 'service-sandbox' });
  });

  it('has one sandbox for each path, also for requests at the same time', async () => {
    let count = 0;
    const store = {
      load: async () => void (count += 1),
      save: () => Promise.resolve(),
    };
    const { GET } = mountSandbox({ accounts: 'open', store });
    await Promise.all(['/one', '/one', '/two'].map((mount) => GET(request(mount), at)));
    expect(count).toBe(2);
  });

  it.each([
    [
      { store: { load: () => Promise.resolve(null) } },
      'store must be an object with the functions load and save',
    ],
    [{ allowInProduction: 'yes' }, 'allowInProduction must be true or false'],
    [{ control: { token: 'short' } }, 'control.token must be text'],
    [{ colour: 'red' }, 'has no field "colour"'],
  ])('rejects %j', (options, message) => {
    expect(() => mountSandbox(options as object)).toThrow(message);
  });
});
