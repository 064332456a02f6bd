import { setupServer } from 'msw2/node';
import { describe, expect, it, vi } from 'vitest';
import { bypassed, sendThrough } from './interception.ts';

// In this file the package imports msw 2 as msw.
vi.mock('msw', () => import('msw2'));

describe('webhooks beside msw 2', () => {
  it('bypass msw 2 that intercepts after the mock was loaded', async () => {
    expect(await sendThrough(setupServer(), false)).toEqual(bypassed);
  });

  it('bypass msw 2 that intercepts before the mock was loaded', async () => {
    expect(await sendThrough(setupServer(), true)).toEqual(bypassed);
  });
});
