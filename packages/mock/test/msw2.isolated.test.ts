import { setupServer } from 'msw2/node';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createHandlers } from '@service/mock/msw';
import { bypassed, sendThrough } from './interception.ts';
import { creates, expectReadable } from './life-cycle.ts';
import { createStillMock } from './support.ts';

// In this file the package imports msw 2 as msw.
vi.mock('msw', () => import('msw2'));

describe('createHandlers with msw 2', () => {
  it.each(creates)('lets life-cycle listeners read the request of %s', async (_, fields, status) => {
    const { mock } = createStillMock();
    const server = setupServer(...(createHandlers(mock) as never[]));
    server.listen({ onUnhandledRequest: 'error' });
    onTestFinished(() => server.close());
    expect(await expectReadable(server, mock, fields)).toBe(status);
  });
});

describe('webhooks beside msw 2', () => {
  it.each([
    ['after', false],
    ['before', true],
  ])('bypass msw 2 that intercepts %s the mock was loaded', async (_, isFirst) => {
    expect(await sendThrough(setupServer(), isFirst)).toEqual(bypassed);
  });
});
