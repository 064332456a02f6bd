import { describe, expect } from 'vitest';
import { it, runCli } from './support.ts';

describe('balance', () => {
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
});
