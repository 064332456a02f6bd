import { globSync, readFileSync } from 'node:fs';
import { createMock } from '@service/mock';
import { expect, test } from 'vitest';
import { createBackend } from '../server/backend.ts';

const { clientOptions } = createMock();

const body = JSON.stringify({
  from_currency: 'USD',
  to_currency: 'EUR',
  amount: 1000,
  beneficiary_name: 'Acme Supplies Ltd',
});

test('the back end adds the API key', async () => {
  const backend = createBackend(clientOptions);
  const response = await backend.request('/backend/payments/payments', { method: 'POST', body });
  const { data } = await response.json();
  expect(response.status).toBe(201);
  const found = await backend.request(`/backend/payments/payments/${data.id}`);
  expect(await found.json()).toMatchObject({ data: { id: data.id, status: 'pending' } });
});

test('the back end serves no other operation', async () => {
  const response = await createBackend(clientOptions).request('/backend/payments/balance');
  expect(response.status).toBe(404);
});

test('the build contains no sandbox', () => {
  const scripts = globSync('dist/**/*.js');
  expect(scripts).toEqual([expect.stringContaining('index-')]); // no worker script
  expect(readFileSync(scripts.join(), 'utf8')).not.toContain('SIM-FAIL');
});
