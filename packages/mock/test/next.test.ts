import { createMock } from '@service/mock';
import { mountSandbox } from '@service/mock/next';
import { describe, expect, it } from 'vitest';

describe('mountSandbox', () => {
  const at = { params: Promise.resolve({ path: ['api', 'v1', 'balance'] }) };
  const request = (mount: string): Request =>
    new Request(`http://localhost:3000${mount}/api/v1/balance`, {
      headers: { 'X-API-Key': 'service_test_of-the-app' },
    });

  it('tries again after the mock could not be opened', async () => {
    const results = [Promise.reject(new Error('no connection')), createMock({ accounts: 'open' })];
    const { GET } = mountSandbox(async () => results.shift()!);
    await expect(GET(request('/retry'), at)).rejects.toThrow('no connection');
    expect((await GET(request('/retry'), at)).status).toBe(200);
    expect((await GET(request('/retry'), at)).status).toBe(200);
  });

  it('has one sandbox for each path, also for requests at the same time', async () => {
    let count = 0;
    const { GET } = mountSandbox(async () => {
      count += 1;
      return createMock({ accounts: 'open' });
    });
    await Promise.all(['/one', '/one', '/two'].map((mount) => GET(request(mount), at)));
    expect(count).toBe(2);
  });

  it('needs a function', () => {
    expect(() => mountSandbox({} as never)).toThrow('mountSandbox needs a function that returns a mock.');
  });
});
