import { setupServer } from 'msw/node';
import { expect, it } from 'vitest';
import { bypassed, sendThrough } from './interception.ts';

it('webhooks bypass msw 3 that intercepts after the mock was loaded', async () => {
  expect(await sendThrough(setupServer(), false)).toEqual(bypassed);
});

it('webhooks bypass msw 3 that intercepts before the mock was loaded', async () => {
  expect(await sendThrough(setupServer(), true)).toEqual(bypassed);
});
