import { describe, expect, it } from 'vitest';
import { createStillMock } from './support.ts';

// The headers of CORS are in test/scenarios. Here: which origins may call.

describe('a page', () => {
  it.each([
    ['http://localhost:5173', true],
    ['https://127.0.0.1', true],
    ['http://[::1]:3000', true],
    ['https://app.example', false],
    ['http://localhost.evil.example', false],
    ['http://127.0.0.1.evil.example', false],
    ['null', false],
  ])('of %s may call: %j', async (origin, isAllowed) => {
    const { headers } = await createStillMock().send('GET', '/balance', { headers: { origin } });
    expect(headers.get('access-control-allow-origin')).toBe(isAllowed ? origin : null);
  });
});
