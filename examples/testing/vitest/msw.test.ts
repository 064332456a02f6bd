import { createMock } from '@service/mock';
import { createHandlers } from '@service/mock/msw';
import { createFixtures } from '@service/mock/vitest';
import { createClient } from '@service/sdk';
import { http, HttpResponse } from 'msw';
import { setupServer } from 'msw/node';
import { afterAll, afterEach, beforeAll, expect, test as base } from 'vitest';

const baseUrl = 'https://payments.example/api/v1'; // the base URL of the application
const mock = createMock();
const server = setupServer(...createHandlers(mock, { baseUrl }));
beforeAll(() => server.listen({ onUnhandledFrame: 'error' })); // msw 2: onUnhandledRequest
afterEach(() => server.resetHandlers());
afterAll(() => server.close());

const test = base.extend(createFixtures({ mock }));

test('the global fetch reaches the sandbox', async ({ account }) => {
  const client = createClient({ apiKey: account.testKey, baseUrl });
  expect((await client.balance.retrieve()).balances).toHaveLength(3);
});

test('a handler of server.use overrides the sandbox in one test', async ({ account }) => {
  const error = { type: 'permission_error', message: 'The account is closed.' };
  server.use(
    http.get(`${baseUrl}/balance`, () => HttpResponse.json({ success: false, error }, { status: 403 })),
  );
  const client = createClient({ apiKey: account.testKey, baseUrl });
  await expect(client.balance.retrieve()).rejects.toThrow('The account is closed.');
});
