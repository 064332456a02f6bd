import { describe, expect } from 'vitest';
import { expectRefusals, it, runCli, testKey } from './support.ts';

describe('quote', () => {
  it('prints one JSON document with --json before or after the command', async ({ mockServer }) => {
    const after = await mockServer.run(['quote', 'usd', 'eur', '3', '--json']);
    const before = await mockServer.run(['--json', 'quote', 'usd', 'eur', '3']);
    expect(after.document).toMatchObject({ fee: 0.02, receive_amount: 2.75 });
    expect(before.stdout).toBe(after.stdout);
  });

  it('exits 2 for an invalid amount before a request is sent', async () => {
    const form = /^error: amount must be a plain decimal such as '100\.00' without sign, .*zeros\.\n/;
    await expectRefusals(
      { command: 'quote USD EUR', env: { SERVICE_API_KEY: testKey } },
      ['-5', '1e3', '0', '1.001', '1,000', 'abc', ''].map((amount) => [
        [amount],
        amount === 'abc' ? form : /amount|unknown option/,
      ]),
    );
  });

  it('prints the invalid fields below the error and with --json', async () => {
    const errors = [{ loc: ['body', 'to_currency'], msg: 'Unsupported currency XXX', input: 'XXX\u001b[2J' }];
    const error = { type: 'validation_error', message: 'Validation failed', errors };
    const fetch = async (): Promise<Response> => Response.json({ success: false, error }, { status: 422 });
    const env = { SERVICE_API_KEY: 'service_test_x' };
    const shown = await runCli(['quote', 'USD', 'XXX', '5'], { env, fetch });
    expect(shown.code).toBe(1);
    expect(shown.stderr).toBe(
      'error: Validation failed (validation_error, HTTP 422)\n  to_currency: Unsupported currency XXX\nexplain: service-cli explain ValidationError\n',
    );
    const { document } = await runCli(['quote', 'USD', 'XXX', '5', '--json'], { env, fetch });
    expect(document.error).toMatchObject({
      fields: [{ field: 'to_currency', message: 'Unsupported currency XXX' }],
    });
  });
});
