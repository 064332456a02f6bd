import { setupServer } from 'msw2/node';
import { expect, it, vi } from 'vitest';
import { bypassed, sendThrough } from './interception.ts';

// In this file the package imports msw 2 as msw.
vi.mock('msw', () => import('msw2'));

it('webhooks bypass msw 2 that intercepts after the mock was loaded', async () => {
  expect(await sendThrough(setupServer(), false)).toEqual(bypassed);
});

it('webhooks bypass msw 2 that intercepts before the mock was loaded', async () => {
  expect(await sendThrough(setupServer(), true)).toEqual(bypassed);
});
