// Uses the packed mock with MSW 2, in the oldest Node that it supports.
import assert from 'node:assert/strict';
import { setupServer } from 'msw/node';
import { createMock } from '@service/mock';
import { createHandlers } from '@service/mock/msw';
import { createClient } from '@service/sdk';

const mock = createMock({ clock: 'manual' });
const network = setupServer(...createHandlers(mock));
network.listen();
const client = createClient({ apiKey: mock.account.testKey, baseUrl: mock.baseUrl });
const order = { from_currency: 'USD', to_currency: 'EUR', amount: '10.00', beneficiary_name: 'Acme Ltd' };
const { id } = await client.payments.create(order);
await mock.sandbox.clock.advance('1h');
assert.equal((await client.payments.retrieve(id)).status, 'completed');
network.close();
await mock.close();
console.log(`  the mock with MSW 2 in Node ${process.versions.node}`);
