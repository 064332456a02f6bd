// The output of each command on a terminal of 80 and of 120 columns, as golden files. Escape sequences are written as `<green>`.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runClock } from '@service/internal';
import { sign } from '@service/webhooks';
import { commands } from '../src/commands.ts';
import {
  eventBody as body,
  makeFolder,
  openService,
  runCli,
  type RunOptions,
  startMockServer,
} from './support.ts';

const names: Record<string, string> = {
  1: 'bold',
  2: 'dim',
  22: '/',
  31: 'red',
  32: 'green',
  33: 'yellow',
  39: '/',
};

/** Writes styles as tags, and replaces ports, measured times, their number, the folder of a store and the keys of a mock. */
function normalize(text: string): string {
  return text
    .replaceAll('\u001b', '␛')
    .replaceAll(/␛\[(\d+)m/g, (_, code: string) => `<${names[code]}>`)
    .replaceAll(/(localhost|127\.0\.0\.1):\d{5}/g, '$1:PORT')
    .replaceAll(/(service_(?:test|live)_)\w+/g, '$1…')
    .replaceAll(/Store:\s+\S*\//g, 'Store: /…/')
    .replaceAll(/whsec_\w+/g, 'whsec_…')
    .replaceAll(/ {3,}\d+ ms/g, (found) => 'N ms'.padStart(found.length))
    .replaceAll(/\d+ ms/g, 'N ms')
    .replaceAll(/\d+ responses/g, 'N responses');
}

/** A clock that is 3 minutes ahead of the mock, and whose timers never end. */
const clock = {
  now: () => Date.parse('2026-01-31T12:03:00Z'),
  sleep: (_: number, signal: AbortSignal) =>
    new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve())),
};

const secret = { SERVICE_WEBHOOK_SECRET: 'a secret of the test' };

const shown = new Set<string>();

/** A mock, and a function that runs a command on a terminal and keeps its output. */
async function openTerminal(columns: number) {
  const receiver = await openService((_, response) => response.end('thank you'));
  const mockServer = await startMockServer({ clock: 'manual', start: '2026-01-31T12:00:00Z' });
  const env = { ...mockServer.env, ...secret };
  const sections: string[] = [];
  const show = async (argv: string[], options: RunOptions = {}): Promise<void> => {
    const { code, stdout, stderr } = await runCli(argv, { env, columns, clock, ...options });
    const command = normalize(argv.join(' ').replace(process.execPath, 'node'));
    sections.push(`$ service-cli ${command}\n${normalize(stdout + stderr)}[exit ${code}]\n`);
    shown.add(argv[0] ?? '');
  };
  return {
    mock: mockServer.mock,
    env,
    to: `${receiver.env.SERVICE_BASE_URL}/webhooks`,
    show,
    text: () => sections.join('\n'),
    async [Symbol.asyncDispose]() {
      await mockServer[Symbol.asyncDispose]();
      await receiver[Symbol.asyncDispose]();
    },
  };
}

const pay = ['pay', 'USD', 'EUR', '1000', '--name', 'Acme Supplies Ltd'];

describe.each([80, 120])('the output on a terminal of %i columns', (columns) => {
  it('of payments and balances', async () => {
    await using terminal = await openTerminal(columns);
    const { mock, show, text } = terminal;
    const purpose = '請求書 42 の支払い, the second half of the rent of the office';
    await show([]);
    await show(['paymnt']);
    await show(['quote', 'USD', 'EUR', '29']);
    await show([...pay, '--purpose', purpose, '--account', 'SIM-INSTANT', '--wait']);
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
    await show(['explain', 'insufficient_funds']);
    await expect(text()).toMatchFileSnapshot(`terminal.payments.${columns}.golden.txt`);
  });

  it('of a file of payments', async () => {
    await using terminal = await openTerminal(columns);
    const { mock, show, text } = terminal;
    const cwd = makeFolder();
    const write = (content: string) => writeFile(join(cwd, 'payments.csv'), content);
    const lines = [
      'reference,from,to,amount,name,account,purpose',
      'INV-41,USD,EUR,1000,Acme Supplies Ltd,DE89370400440532013000,Invoice 41',
      'INV-42,USD,EUR,29.50,請求書 Ltd,,Invoice 42',
      'INV-43,USD,AED,250,Third Supplier,,Invoice 43',
    ];
    const payFile = ['pay-file', 'payments.csv'];
    await show(['pay-file', '--help']);
    await write(`${lines.join('\n')}\nINV-41,USD,EUR,1e3,"Acme\n","DE\u001b[2J",x\nA B,USD,EURO,1,Acme,,\n`);
    await show(payFile, { cwd });
    await write(lines.join('\n'));
    await show([...payFile, '--dry-run'], { cwd });
    await show(payFile, { cwd, isTTY: true, stdin: 'no\n' });
    mock.sandbox.faults.inject({ kind: 'status', status: 422, operation: 'createPayment' });
    mock.sandbox.faults.inject({ kind: 'reset_before_commit', operation: 'createPayment' });
    await show([...payFile, '--concurrency', '1'], { cwd, isTTY: true, stdin: 'yes\n' });
    await show([...payFile, '--yes'], { cwd });
    await show([...payFile, '--status'], { cwd });
    await write(lines.join('\n').replace('250,Third', '251,Other'));
    await show([...payFile, '--yes'], { cwd });
    await expect(text()).toMatchFileSnapshot(`terminal.pay-file.${columns}.golden.txt`);
  });

  it('of webhooks and the sandbox', async () => {
    await using terminal = await openTerminal(columns);
    const { mock, show, text, to } = terminal;
    mock.sandbox.webhooks.setEndpoint({ url: to, secret: secret.SERVICE_WEBHOOK_SECRET });
    await show([...pay, '--account', 'SIM-FAIL']);
    await mock.sandbox.clock.advance('2m');
    const verify = ['webhooks', 'verify', '--signature', sign(body, secret.SERVICE_WEBHOOK_SECRET)];
    await show(verify, { stdin: body });
    await show(verify, { stdin: `${body} ` });
    await show(['webhooks', 'trigger', 'payment.completed', '--to', to, '--id', 'pay_test_1']);
    await show(['sandbox', 'deliveries', 'list']);
    const [delivery] = mock.sandbox.webhooks.deliveries();
    await show(['sandbox', 'deliveries', 'redeliver', delivery?.id ?? '']);
    await show(['webhooks', 'listen', '--sandbox', '--port', '0', '--until', 'payment.pending'], {
      onStderr: (output) => {
        if (!output.includes('Listening')) return;
        void mock.sandbox.webhooks.redeliver(delivery?.id ?? '');
      },
    });
    await show(['sandbox', 'account', 'list']);
    await show(['sandbox', 'clock', 'show']);
    await show(['sandbox', 'requests', 'list', 'operation=createPayment']);
    for (const list of ['requests', 'deliveries']) {
      const stop = new AbortController();
      await show(['sandbox', list, 'list', '--follow'], {
        signal: stop.signal,
        onStdout: () => stop.abort('SIGINT'),
      });
    }
    await show(['sandbox', 'faults', 'inject', 'kind=status', 'status=503', 'operation=createQuote']);
    await show(['sandbox', 'faults', 'list']);
    await expect(text()).toMatchFileSnapshot(`terminal.webhooks.${columns}.golden.txt`);
  });

  it('of checks', async () => {
    await using terminal = await openTerminal(columns);
    const { mock, show, text } = terminal;
    await show(['smoke', '--account', 'SIM-INSTANT']);
    await show(['sandbox', 'wallet', 'set', 'USD', '0.50']);
    await show(['smoke']);
    // The rate is watched for some seconds; the line of the progress has other sleeps.
    const advance: RunOptions['clock'] = {
      now: () => mock.sandbox.clock.now().getTime(),
      sleep: (milliseconds, signal) =>
        milliseconds === 250
          ? clock.sleep(milliseconds, signal)
          : mock.sandbox.clock.advance(`${milliseconds}ms`),
    };
    // A run takes seconds, and the narrow screen is the harder one.
    if (columns === 80) await show(['probe', '--no-payments'], { clock: advance });
    await expect(text()).toMatchFileSnapshot(`terminal.checks.${columns}.golden.txt`);
  });

  it('of commands that start a mock', async () => {
    await using terminal = await openTerminal(columns);
    const { show, text } = terminal;
    await show(['completion', 'fish']);
    const ending = ['--', process.execPath, '-e', 'process.exitCode = 4'];
    // It waits for the end of the process group.
    await show(['dev', '--port', '0', ...ending], { clock: runClock });
    await show(['chaos', '--help']);
    await show(['record', '--help']);
    const stop = new AbortController();
    await show(['mock', '--port', '0', '--seed', 'terminal'], {
      signal: stop.signal,
      reveals: true,
      onStdout: (output) => output.includes('Ready') && stop.abort(),
    });
    await expect(text()).toMatchFileSnapshot(`terminal.mock.${columns}.golden.txt`);
  });
});

it('the screens cover each command', () => {
  const all = commands.flatMap(({ name, load }) => (load === undefined ? [] : name.split(' ').slice(0, 1)));
  expect(all.filter((name) => !shown.has(name))).toEqual([]);
});
