import { setupServer } from 'msw/node';
import { expect, it } from 'vitest';
import { bypassed, sendThrough } from './interception.ts';

it('pass by msw 3 that intercepts since after the mock was loaded', async () => {
  expect(await sendThrough(setupServer(), false)).toEqual(bypassed);
});

it('pass by msw 3 that intercepted before the mock was loaded', async () => {
  expect(await sendThrough(setupServer(), true)).toEqual(bypassed);
});
