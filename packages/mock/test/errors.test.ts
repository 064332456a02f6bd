import { describe, expect, it } from 'vitest';
import { createCaller, createStillMock, order } from './support.ts';

// Every rejection and its bytes are in test/scenarios. A rejected request changes nothing: fuzz.property.test.ts.

describe('a rejected request', () => {
  it('over the rate limit and of a suspended account changes nothing', async () => {
    const { mock, get, post } = createStillMock({ profile: { rateLimit: { requests: 1, window: '10s' } } });
    await get('/balance');
    const before = await mock.sandbox.stateHash();
    expect((await post('/payments', order())).status).toBe(429);
    expect(await mock.sandbox.stateHash()).toBe(before);
    mock.sandbox.accounts.suspend();
    const suspended = await mock.sandbox.stateHash();
    expect((await post('/payments', order())).status).toBe(403);
    expect(await mock.sandbox.stateHash()).toBe(suspended);
  });
});

describe('the order of checks', () => {
  it('is key, path, rate limit, method', async () => {
    const { mock, get, send } = createStillMock({ profile: { rateLimit: { requests: 0, window: '1s' } } });
    expect((await createCaller(mock, 'service_test_x').get('/nothing')).status).toBe(401);
    expect((await get('/nothing')).status).toBe(404);
    expect((await send('DELETE', '/balance')).status).toBe(429);
  });
});
