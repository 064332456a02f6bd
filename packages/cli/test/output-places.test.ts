import { describe, expect } from 'vitest';
import { expectRefusals, failedWrite, it, openService, runCli, testKey } from './support.ts';

const onStdout = failedWrite('EPIPE');

describe('a closed stdout', () => {
  it('does not turn a failed smoke into exit 0', async ({ mockServer }) => {
    const { faults } = mockServer.mock.sandbox;
    faults.inject({ kind: 'status', status: 403, operation: 'getBalance', times: 'unlimited' });
    for (const options of [[], ['--json']])
      expect((await mockServer.run(['smoke', ...options], { onStdout })).code).toBe(1);
  });

  it('does not end a smoke that would pass', async ({ mockServer }) => {
    const { mock } = mockServer;
    expect((await mockServer.run(['smoke'], { onStdout })).code).toBe(0);
    expect(mock.sandbox.requests.list({ operation: 'createPayment' })).toHaveLength(1);
  });

  it('does not turn a rejected event of webhooks trigger into exit 0', async () => {
    await using service = await openService((_, response) => response.writeHead(500).end());
    const argv = ['webhooks', 'trigger', 'payment.completed', '--to', service.env.SERVICE_BASE_URL!];
    const env = { SERVICE_WEBHOOK_SECRET: 'a secret of the test' };
    expect((await runCli(argv, { env, onStdout })).code).toBe(1);
  });

  it('does not turn the failed payment of payment wait into exit 0', async ({ mockServer }) => {
    const argv = ['pay', 'USD', 'EUR', '1', '--name', 'Acme', '--account', 'SIM-FAIL-EARLY', '--json'];
    const { document } = await mockServer.run(argv);
    expect((await mockServer.run(['payment', 'wait', document.id], { onStdout })).code).toBe(1);
  });
});

it('a folder in place of an output file is rejected before the first request', async () => {
  const message = '"." is a folder. Name a file.';
  await expectRefusals({ env: { SERVICE_API_KEY: testKey } }, [
    ['smoke --junit .', message],
    ['probe --save .', message],
    ['record --to http://127.0.0.1:9/api/v1 --keep .', message],
  ]);
});
