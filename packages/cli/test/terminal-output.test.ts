// The output of each command on a terminal of 80 and of 120 columns, as golden files. Escape sequences are written as `<green>`.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { commands } from '../src/commands.ts';
import { openService, runCli, type RunOptions, startMockServer } from './support.ts';

const names: Record<string, string> = {
  1: 'bold',
  2: 'dim',
  22: '/',
  31: 'red',
  32: 'green',
  33: 'yellow',
  39: '/',
};

/** Writes styles as tags, and replaces ports, measured times and the keys of a mock. */
function normalize(text: string): string {
  return text
    .replaceAll('\u001b', '␛')
    .replaceAll(/␛\[(\d+)m/g, (_, code: string) => `<${names[code]}>`)
    .replaceAll(/(localhost|127\.0\.0\.1):\d{5}/g, '$1:PORT')
    .replaceAll(/(service_(?:test|live)_)\w+/g, '$1…')
    .replaceAll(/whsec_\w+/g, 'whsec_…')
    .replaceAll(/ {3,}\d+ ms/g, (found) => 'N ms'.padStart(found.length))
    .replaceAll(/\d+ ms/g, 'N ms');
}

/** A clock that is 3 minutes ahead of the mock, and whose timers never end. */
const clock = {
  now: () => Date.parse('2026-01-31T12:03:00Z'),
  sleep: (_: number, signal: AbortSignal) =>
    new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve())),
};

const secret = { SERVICE_WEBHOOK_SECRET: 'a secret of the test' };
const body = JSON.stringify({
  event: 'payment.completed',
  created_at: '2026-01-31T12:00:00+00:00',
  data: {
    id: 'pay_test_1',
    status: 'completed',
    from_currency: 'USD',
    to_currency: 'EUR',
    send_amount: 1000,
    receive_amount: 916.69,
    mode: 'test',
  },
});

describe.each([80, 120])('the output on a terminal of %i columns', (columns) => {
  it('of each command', async () => {
    await using receiver = await openService((_, response) => response.end('thank you'));
    const to = `${receiver.env.SERVICE_BASE_URL}/webhooks`;
    await using mockServer = await startMockServer({ clock: 'manual' });
    const { mock } = mockServer;
    const env = { ...mockServer.env, ...secret };
    const sections: string[] = [];
    const show = async (argv: string[], options: RunOptions = {}): Promise<void> => {
      const { code, stdout, stderr } = await runCli(argv, { env, columns, clock, ...options });
      sections.push(
        `$ service-cli ${normalize(argv.join(' ').replace(process.execPath, 'node'))}\n${normalize(stdout + stderr)}[exit ${code}]\n`,
      );
    };
    const pay = ['pay', 'USD', 'EUR', '1000', '--name', 'Acme Supplies Ltd'];
    const purpose = '請求書 42 の支払い, the second half of the rent of the office';
    await show([]);
    await show(['paymnt']);
    await show(['quote', 'USD', 'EUR', '29']);
    await show([...pay, '--purpose', purpose, '--account', 'SIM-INSTANT', '--wait']);
    mock.sandbox.webhooks.setEndpoint({ url: to, secret: secret.SERVICE_WEBHOOK_SECRET });
    await show([...pay, '--account', 'SIM-FAIL']);
    await mock.sandbox.clock.advance('2m');
    const requests = mock.sandbox.requests.list({ operation: 'createPayment' });
    const id = requests.at(-1)?.effects.payment_id ?? '';
    await show(['payment', 'get', id]);
    await show(['payment', 'wait', id]);
    await show(['payment', 'reconcile', 'USD', 'EUR', '1000', '--since', '2026-01-31T12:00:00Z']);
    await show(['balance']);
    await show(['transactions']);
    await show(['transactions', '--status', 'lost']);
    await show(['webhooks', 'sign'], { stdin: body });
    const { stdout: signature } = await runCli(['webhooks', 'sign'], { env, stdin: body });
    const verify = ['webhooks', 'verify', '--signature', signature.trim()];
    await show(verify, { stdin: body });
    await show(verify, { stdin: `${body} ` });
    await show(['webhooks', 'trigger', 'payment.completed', '--to', to, '--data', 'id=pay_test_1']);
    await show(['webhooks', 'deliveries']);
    const [delivery] = mock.sandbox.webhooks.deliveries();
    await show(['webhooks', 'resend', delivery?.id ?? '']);
    await show(['webhooks', 'listen', '--sandbox', '--port', '0', '--count', '1'], {
      onStderr: (text) => {
        if (!text.includes('Listening')) return;
        void mock.sandbox.webhooks.redeliver(delivery?.id ?? '');
      },
    });
    await show(['sandbox', 'account', 'list']);
    await show(['sandbox', 'clock', 'show']);
    await show(['sandbox', 'requests', 'list', '--operation', 'createPayment']);
    await show(['sandbox', 'faults', 'inject', 'status', '--status', '503', '--operation', 'createQuote']);
    await show(['sandbox', 'faults', 'list']);
    await show(['smoke', '--account', 'SIM-INSTANT']);
    await show(['sandbox', 'wallet', 'set', 'USD', '0.50']);
    await show(['smoke']);
    await show(['probe', '--no-payments']);
    await show(['completion', 'fish']);
    await show(['dev', '--port', '0', '--', process.execPath, '-e', 'process.exitCode = 4']);
    const cwd = await mkdtemp(join(tmpdir(), 'init-'));
    await show(['init'], { cwd });
    await show(['init'], { cwd });
    await rm(cwd, { recursive: true });
    const stop = new AbortController();
    await show(['mock', '--port', '0', '--seed', 'terminal'], {
      signal: stop.signal,
      reveals: true,
      onStdout: (text) => text.includes('Ready') && stop.abort(),
    });
    const missing = commands.filter(
      ({ name, load }) =>
        load !== undefined && !sections.some((section) => section.startsWith(`$ service-cli ${name}`)),
    );
    expect(missing).toEqual([]);
    await expect(sections.join('\n')).toMatchFileSnapshot(`terminal.${columns}.golden.txt`);
  });
});
