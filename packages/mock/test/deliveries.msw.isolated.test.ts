import { setupServer } from 'msw/node';
import { describe, expect, it } from 'vitest';
import { bypassed, sendThrough } from './interception.ts';

describe('webhooks beside msw 3', () => {
  it('bypass msw 3 that intercepts after the mock was loaded', async () => {
    expect(await sendThrough(setupServer(), false)).toEqual(bypassed);
  });

  it('bypass msw 3 that intercepts before the mock was loaded', async () => {
    expect(await sendThrough(setupServer(), true)).toEqual(bypassed);
  });
});
