// The output of the built command line. After an intended change: `npm run build`, then
// `npx vitest run --project 'node*' test/services/output -u`, and read the golden files as a user would.
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { childEnv } from '../support/child-env.ts';
import type { FaultKind } from './fastify/faults.ts';
import type { Service } from './fastify/service.ts';
import { CREATE, openService, styles } from './support.ts';

const bin = new URL('../../packages/cli/bin/service-cli.js', import.meta.url).pathname;
const SECRET = 'whsec_0123456789abcdef';

interface RequestClock {
  readonly now: () => number;
  readonly onRequest: (operation: string) => void;
  readonly advance: (milliseconds: number) => void;
}

/** Milliseconds by which each request advances the clock of the service. */
const PER_REQUEST = 450;

/** Creates a clock that advances with each request, so that the output does not depend on the speed of the machine. */
function createRequestClock(): RequestClock {
  let time = Date.now();
  return {
    now: () => time,
    onRequest: (operation) => {
      // A payment must not be older than the time at which the command sends it.
      time = Math.max(time + PER_REQUEST, operation === CREATE ? Date.now() : 0);
    },
    advance: (milliseconds) => void (time += milliseconds),
  };
}

interface Terminal {
  /** Runs a command and adds it to the golden text. Returns its stdout. */
  readonly run: (args: readonly string[], stdin?: string) => Promise<string>;
  readonly inject: (kind: FaultKind) => void;
  /** Makes all writes visible. */
  readonly settle: () => void;
  readonly read: () => string;
}

async function openTerminal(listStyle: (typeof styles)[number]): Promise<Terminal> {
  const clock = createRequestClock();
  const { env, service } = await openService({
    listStyle,
    readLag: 1_200,
    steps: [500, 500],
    now: clock.now,
    onRequest: clock.onRequest,
    webhook: { url: 'http://127.0.0.1:9/', secret: SECRET },
  });
  const parts: string[] = [];
  return {
    run: async (args, stdin = '') => {
      const child = spawn(process.execPath, [bin, ...args], {
        env: { ...childEnv, SERVICE_WEBHOOK_SECRET: SECRET, ...env },
      });
      child.stdin.end(stdin);
      const exit = new Promise<number | null>((resolve) => child.once('close', resolve));
      const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), exit]);
      parts.push(
        `$ service-cli ${args.map(quote).join(' ')}\n${stdout}--- stderr\n${stderr}--- exit ${code}\n`,
      );
      return stdout;
    },
    inject: (kind) => service.faults.inject(CREATE, kind),
    settle: () => settle(service, clock),
    read: () => normalize(parts.join('\n')),
  };
}

function settle({ ledger }: Service, clock: RequestClock): void {
  for (let step = 0; step < 3; step += 1) {
    clock.advance(2_000);
    ledger.runJobs();
  }
}

function quote(argument: string): string {
  return /^[\w./:=-]+$/.test(argument) ? argument : `'${argument}'`;
}

/** Replaces times, durations, generated ids and ports. Equal ids stay equal. */
function normalize(output: string): string {
  const ids: string[] = [];
  const nameOf = (id: string): string => {
    if (!ids.includes(id)) ids.push(id);
    return `pay_test_${String(ids.indexOf(id) + 1).padStart(id.length - 'pay_test_'.length, '0')}`;
  };
  return output
    .replaceAll(/pay_test_[0-9a-f]{20}/g, nameOf)
    .replaceAll(
      /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)/g,
      (_, fraction: string) => `2026-01-31T12:00:00${fraction.replaceAll(/\d/g, '0')}`,
    )
    .replaceAll(
      /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g,
      '00000000-0000-4000-8000-000000000000',
    )
    .replaceAll(/ +\d+ ms\b/g, (match) => (/^ \d/.test(match) ? ' N ms' : 'N ms'.padStart(match.length)))
    .replaceAll(/\b\d+\.\d s\b/g, 'N.N s')
    .replaceAll(/\bin \d+ s\b/g, 'in N s')
    .replaceAll(/\d+ responses took \d+/g, 'N responses took N')
    .replaceAll(/(127\.0\.0\.1:|--listen )\d+/g, '$1PORT');
}

const beneficiary = ['--name', 'Acme Supplies Ltd', '--account', 'DE89370400440532013012'];
const pay = ['pay', 'USD', 'EUR', '100.00', ...beneficiary];

describe.each(styles)('the output of service-cli for a Fastify service in %s style', (style) => {
  const golden = (name: string): string => `./output/${style}-${name}.txt`;

  it('is the golden output for smoke', async () => {
    const terminal = await openTerminal(style);
    await terminal.run(['smoke']);
    await expect(terminal.read()).toMatchFileSnapshot(golden('smoke'));
  });

  it('is the golden output for pay --wait', async () => {
    const terminal = await openTerminal(style);
    await terminal.run([...pay, '--purpose', 'INV-42', '--wait']);
    await terminal.run(['pay', 'USD', 'EUR', '10', '--name', 'Acme', '--account', 'GB0000', '--wait']);
    await expect(terminal.read()).toMatchFileSnapshot(golden('pay'));
  });

  it('is the golden output for a rejected pay', async () => {
    const terminal = await openTerminal(style);
    await terminal.run(['pay', 'USD', 'EUR', '100000', '--name', 'Acme', '--wait']);
    await terminal.run(['pay', 'USD', 'XXX', '10', '--name', 'Acme', '--wait']);
    await expect(terminal.read()).toMatchFileSnapshot(golden('pay-rejected'));
  });

  it('is the golden output for transactions --all', async () => {
    const terminal = await openTerminal(style);
    await terminal.run([...pay, '--purpose', 'INV-42']);
    terminal.settle();
    await terminal.run(['transactions', '--all']);
    await terminal.run(['transactions', '--per-page', '2']);
    await expect(terminal.read()).toMatchFileSnapshot(golden('transactions'));
  });

  const reconcile = ['payment', 'reconcile', '--error', '-'];

  it('is the golden output for payment reconcile', async () => {
    const terminal = await openTerminal(style);
    terminal.inject('gateway_504');
    const lost = await terminal.run([...pay, '--purpose', 'INV-42', '--json']);
    await terminal.run([...reconcile, ...beneficiary], lost);
    terminal.settle();
    await terminal.run([...reconcile, ...beneficiary], lost);
    await terminal.run(reconcile, lost);
    await expect(terminal.read()).toMatchFileSnapshot(golden('reconcile'));
  });

  it.each(['drop_before_commit', 'cut_body', 422] as const)(
    'is the golden output for payment reconcile after %s',
    async (fault) => {
      const terminal = await openTerminal(style);
      await terminal.run([...pay, '--purpose', 'INV-42']);
      terminal.settle();
      terminal.inject(fault);
      const stdout = await terminal.run([...pay, '--purpose', 'INV-43', '--json']);
      terminal.settle();
      await terminal.run([...reconcile, ...beneficiary], stdout);
      await expect(terminal.read()).toMatchFileSnapshot(golden(`reconcile-${fault}`));
    },
  );

  it('is the golden output for probe', async () => {
    const terminal = await openTerminal(style);
    await terminal.run(pay);
    terminal.settle();
    await terminal.run(['probe', '--no-payments']);
    await expect(terminal.read()).toMatchFileSnapshot(golden('probe'));
  });
});
