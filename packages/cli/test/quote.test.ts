import { describe, expect, it } from 'vitest';
import { openWorld, runCli } from './support.ts';

describe('quote', () => {
  it('shows the figures as the service sent them', async () => {
    await using world = await openWorld();
    const { code, lines, stderr } = await runCli(['quote', 'USD', 'EUR', '29.00'], { env: world.env });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(lines).toEqual([
      'from_currency:  USD',
      'to_currency:    EUR',
      'send_amount:    29',
      'fee:            0.15',
      'rate:           0.9213',
      'receive_amount: 26.58',
    ]);
  });

  it('writes one JSON document with --json, before or after the command', async () => {
    await using world = await openWorld();
    const after = await runCli(['quote', 'usd', 'eur', '3', '--json'], { env: world.env });
    const before = await runCli(['--json', 'quote', 'usd', 'eur', '3'], { env: world.env });
    expect(after.document).toMatchObject({ fee: 0.02, receive_amount: 2.75 });
    expect(before.stdout).toBe(after.stdout);
  });

  it('shows figures that the service sent as text', async () => {
    const data = {
      from_currency: 'USD',
      to_currency: 'EUR',
      send_amount: '1.00',
      fee: '0.15',
      rate: '1',
      receive_amount: '0.85',
    };
    const fetch = async (): Promise<Response> => Response.json({ success: true, mode: 'test', data });
    await using world = await openWorld();
    const { lines } = await runCli(['quote', 'USD', 'EUR', '1'], { env: world.env, fetch });
    expect(lines).toContain('fee:            0.15');
  });

  it.each(['-5', '1e3', '0', '1.001', '1,000', 'abc', ''])(
    'refuses the amount %j with exit 2 before anything is sent',
    async (amount) => {
      const { code, document } = await runCli(['quote', 'USD', 'EUR', amount, '--json'], {
        env: { SERVICE_API_KEY: 'service_test_x' },
        fetch: () => Promise.reject(new Error('must not be called')),
      });
      expect(code).toBe(2);
      expect(document.error.message).toMatch(/amount|unknown option/);
    },
  );

  it('exits 1 when the service refuses', async () => {
    await using world = await openWorld();
    const { code, stdout, stderr } = await runCli(['quote', 'USD', 'XXX', '1'], { env: world.env });
    expect(code).toBe(1);
    expect(stdout).toBe('');
    expect(stderr).toMatch(/^error: .*to_currency.* \(validation_error, HTTP 422, req_\w+\)\n$/);
  });

  it('shows the fields that the service refused, under the error and with --json', async () => {
    const errors = [{ loc: ['body', 'to_currency'], msg: 'Unsupported currency XXX', input: 'XXX\u001b[2J' }];
    const error = { type: 'validation_error', message: 'Validation failed', errors };
    const fetch = async (): Promise<Response> => Response.json({ success: false, error }, { status: 422 });
    const env = { SERVICE_API_KEY: 'service_test_x' };
    const shown = await runCli(['quote', 'USD', 'XXX', '5'], { env, fetch });
    expect(shown.code).toBe(1);
    expect(shown.stderr).toBe(
      'error: Validation failed (validation_error, HTTP 422)\n  to_currency: Unsupported currency XXX\n',
    );
    const { document } = await runCli(['quote', 'USD', 'XXX', '5', '--json'], { env, fetch });
    expect(document.error).toMatchObject({
      fields: [{ field: 'to_currency', message: 'Unsupported currency XXX' }],
    });
  });
});
