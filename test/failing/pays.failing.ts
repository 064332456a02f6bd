import { createClient } from '@service/sdk';
import { describe, expect } from 'vitest';
import { test } from '../../examples/testing/vitest/report.ts';

const attack = `</script><script>document.title='owned'</script><img src=x onerror="document.title='owned'">`;

describe('a checkout', () => {
  test(`completes the payment ${attack}`, async ({ clientOptions, account, mock }) => {
    const client = createClient(clientOptions);
    const other = mock.sandbox.accounts.create({ name: 'another test' });
    mock.sandbox.faults.inject({ kind: 'latency', ms: 1, account: other });
    mock.sandbox.webhooks.setEndpoint({
      account,
      url: 'http://127.0.0.1:9/hook',
      secret: 'a-secret-of-16-characters',
    });
    mock.sandbox.faults.inject({ kind: 'status', status: 503, operation: 'createQuote', account });
    const { id } = await client.payments.create({
      from_currency: 'USD',
      to_currency: 'EUR',
      amount: '12.34',
      beneficiary_name: attack,
      purpose: attack,
    });
    await mock.sandbox.clock.advance('2s');
    expect(
      `${(await client.payments.retrieve(id)).status} ${account.testKey} a-secret-of-16-characters`,
    ).toBe('completed');
  });

  test('passes', ({ account }) => {
    expect(account.testKey).toBeTypeOf('string');
  });
});
