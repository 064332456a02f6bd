import { setupServer } from 'msw2/node';
import { expect, it, vi } from 'vitest';
import { bypassed, sendThrough } from './interception.ts';

// What the package imports as msw is msw 2 in this file.
vi.mock('msw', () => import('msw2'));

it('webhooks bypass msw 2 that intercepts after the mock was loaded', async () => {
  expect(await sendThrough(setupServer(), false)).toEqual(bypassed);
});

it('webhooks bypass msw 2 that intercepts before the mock was loaded', async () => {
  expect(await sendThrough(setupServer(), true)).toEqual(bypassed);
});
