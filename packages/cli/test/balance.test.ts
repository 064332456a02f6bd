import { describe, expect } from 'vitest';
import { it, runCli } from './support.ts';

describe('balance', () => {
  it('prints every wallet with right-aligned balances', async ({ mockServer }) => {
    await mockServer.run(['pay', 'USD', 'EUR', '0.05', '--name', 'Acme']);
    const { code, lines, stderr } = await mockServer.run(['balance']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(lines).toEqual(['       balance', '100,000.00 EUR', '100,000.00 GBP', ' 99,999.95 USD']);
  });

  it('names the digits of a balance that it rounds', async () => {
    const text =
      '{"success":true,"mode":"test","data":{"balances":[{"currency":"USD","balance":9007199254740993.01}]}}';
    const { code, stderr } = await runCli(['balance'], {
      env: { SERVICE_API_KEY: 'service_test_key', SERVICE_BASE_URL: 'http://localhost:1/api/v1' },
      fetch: async () => new Response(text, { headers: { 'Content-Type': 'application/json' } }),
    });
    const warning =
      'warning: balance is 9007199254740993.01, which a number cannot represent exactly. It is rounded.\n';
    expect({ code, stderr }).toEqual({ code: 0, stderr: warning });
  });

  it('prints the data of the service with --json', async ({ mockServer }) => {
    const { document } = await mockServer.run(['balance', '--json']);
    expect(document.balances).toContainEqual({ currency: 'EUR', balance: 100_000 });
  });
});
