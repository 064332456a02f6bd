import { createMock } from '@service/mock';
import { createHandlers } from '@service/mock/msw';
import { createClient } from '@service/sdk';
import { http, HttpResponse } from 'msw';
import { setupServer } from 'msw/node';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';

const baseUrl = 'https://payments.example/api/v1'; // the base URL of the application
const mock = createMock();
const server = setupServer(...createHandlers(mock, { baseUrl }));
beforeAll(() => server.listen({ onUnhandledFrame: 'error' })); // msw 2: onUnhandledRequest
afterEach(() => server.resetHandlers());
afterAll(() => server.close());

test('the global fetch reaches the sandbox', async () => {
  const client = createClient({ apiKey: mock.account.testKey, baseUrl });
  expect((await client.balance.retrieve()).balances).toHaveLength(3);
});

test('a handler of server.use overrides the sandbox in one test', async () => {
  const error = { type: 'permission_error', message: 'The account is closed.' };
  server.use(
    http.get(`${baseUrl}/balance`, () => HttpResponse.json({ success: false, error }, { status: 403 })),
  );
  const client = createClient({ apiKey: mock.account.testKey, baseUrl });
  await expect(client.balance.retrieve()).rejects.toThrow('The account is closed.');
});
