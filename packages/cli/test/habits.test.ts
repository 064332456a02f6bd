import { describe, expect, it } from 'vitest';
import { runCli, testKey } from './support.ts';

/** What people of other tools type, and the part of the answer that leads to the command. */
const habits: readonly (readonly [argv: string, answer: string])[] = [
  ['listen', 'service-cli webhooks listen`'],
  ['listen --forward-to localhost:3000', 'service-cli webhooks listen`'],
  ['--json listen', 'service-cli webhooks listen`'],
  ['trigger payment.completed', 'service-cli webhooks trigger`'],
  ['events list', 'service-cli webhooks listen`'],
  ['resend evt_1', 'service-cli sandbox deliveries redeliver ID`'],
  ['webhooks resend dlv_1', 'service-cli sandbox deliveries redeliver ID`'],
  ['webhooks deliveries --failed', 'service-cli sandbox deliveries list`'],
  ['logs', 'service-cli sandbox requests list --follow`'],
  ['logs tail', 'service-cli sandbox requests list --follow`'],
  ['payment list', 'service-cli transactions`'],
  ['payments list', 'service-cli payment get ID, or transactions`'],
  ['payment create', 'service-cli pay FROM TO AMOUNT --name NAME`'],
  ['pay --file payments.csv', 'service-cli pay-file FILE`'],
  ['get payment pay_1', 'service-cli payment get ID`'],
  ['status pay_1', 'service-cli payment get ID`'],
  ['wallets', 'service-cli balance`'],
  ['start', 'service-cli mock`'],
  ['serve --port 1', 'service-cli mock`'],
  ['run npm test', 'service-cli dev -- COMMAND`'],
  ['clock advance 4s', 'service-cli sandbox clock`'],
  ['faults inject', 'service-cli sandbox faults`'],
  ['completion', 'service-cli completion bash, zsh or fish`'],
  ['completion --shell bash', 'service-cli completion bash, zsh or fish`'],
  ['version', 'service-cli --version`'],
  ['webhook listen', 'Did you mean webhooks?'],
  ['transaction', 'Did you mean transactions?'],
  ['payment gett pay_1', 'Did you mean get?'],
];

describe('service-cli for hands of other tools', () => {
  it('names the command that they look for, and exits 2', async () => {
    const different: unknown[] = [];
    for (const [argv, answer] of habits) {
      const { code, stderr } = await runCli(argv.split(' '));
      if (code !== 2 || !stderr.includes(answer)) different.push({ argv, answer, code, stderr });
    }
    expect(different).toEqual([]);
  });

  it('prints its version for -v and the help for help', async () => {
    const { stdout } = await runCli(['--version']);
    expect((await runCli(['-v'])).stdout).toBe(stdout);
    expect((await runCli(['help'])).stdout).toBe((await runCli(['--help'])).stdout);
    expect((await runCli(['help', 'pay'])).stdout).toBe((await runCli(['pay', '--help'])).stdout);
  });

  it('takes several values of a repeatable option with commas', async () => {
    const argv = ['payment', 'reconcile', 'USD', 'EUR', '1', '--since', '2026-01-31T12:00:00Z'];
    const { code } = await runCli([...argv, '--exclude', 'pay_test_1,pay_test_2'], {
      env: { SERVICE_API_KEY: testKey },
      fetch: async () => Response.json({ success: true, mode: 'test', data: { transactions: [] } }),
    });
    // A text with a comma is no id.
    expect(code).toBe(3);
  });
});
