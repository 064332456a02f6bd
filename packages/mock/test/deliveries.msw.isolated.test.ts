import { setupServer } from 'msw/node';
import { describe, expect, it } from 'vitest';
import { bypassed, sendThrough } from './interception.ts';

describe('webhooks beside msw 3', () => {
  it.each([
    ['after', false],
    ['before', true],
  ])('bypass msw 3 that intercepts %s the mock was loaded', async (_, isFirst) => {
    expect(await sendThrough(setupServer(), isFirst)).toEqual(bypassed);
  });
});
