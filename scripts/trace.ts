// Counts the source files that one request runs through: `npm run trace`. With --entries, prints each function entry.
import { join } from 'node:path';
import { instrument } from './trace/instrument.ts';

interface Entry {
  readonly path: string;
  readonly name: string;
}

const root = join(import.meta.dirname, '..');
let entries: Entry[] = [];
let isRecording = true;
instrument(root, (path, name) => {
  if (isRecording) entries.push({ path, name });
});

// Loaded after the instrumentation.
const { createMock } = await import('@service/mock');
const { createClient } = await import('@service/sdk');
const { createReceiver } = await import('@service/webhooks');
const { run } = await import('../packages/cli/src/program.ts');

const secret = 'the secret of the trace';
const received: string[] = [];
const receive = createReceiver({
  secrets: secret,
  on: {},
  fallback: ({ event }) => void received.push(event),
});
const mock = createMock({
  clock: 'manual',
  start: '2026-01-31T12:00:00Z',
  seed: 1,
  fetch: (request) => receive(request),
});
mock.sandbox.webhooks.setEndpoint({ url: 'http://localhost:9/', secret });
const apiKey = mock.account.testKey;
const client = createClient({ apiKey, baseUrl: mock.baseUrl, fetch: mock.fetch });
const body = {
  from_currency: 'USD',
  to_currency: 'EUR',
  amount: '100.00',
  beneficiary_name: 'Acme Supplies Ltd',
  purpose: 'INV-42',
};

/** Waits for the webhooks. The call of this script is not part of the request. */
const waitForWebhooks = (): Promise<void> => {
  isRecording = false;
  const idle = mock.sandbox.idle();
  isRecording = true;
  return idle;
};
const pay = async (): Promise<void> => {
  await client.payments.create(body);
  await waitForWebhooks();
};
const tick = async (): Promise<void> => void (await mock.sandbox.clock.advance('4s'));
const payWithCli = async (): Promise<void> => {
  const sink = { write: (): boolean => true };
  const args = ['pay', 'USD', 'EUR', '100.00', '--name', 'Acme Supplies Ltd', '--purpose', 'INV-42'];
  const code = await run({
    argv: args,
    env: { SERVICE_API_KEY: apiKey, SERVICE_BASE_URL: mock.baseUrl },
    stdin: Object.assign((async function* () {})(), { isTTY: false }),
    stdout: sink,
    stderr: sink,
    signal: new AbortController().signal,
    fetch: mock.fetch,
  });
  if (code !== 0) throw new Error(`service-cli pay ended with ${code}.`);
  await waitForWebhooks();
};

interface Scenario {
  /** Runs before each run, untraced. */
  readonly prepare?: () => Promise<void>;
  readonly run: () => Promise<void>;
}

/** Runs a scenario twice and reports the second run, without work that is done once. */
async function report(title: string, scenario: Scenario): Promise<void> {
  await scenario.prepare?.();
  await scenario.run();
  await scenario.prepare?.();
  entries = [];
  await scenario.run();
  const seen = entries;
  console.log(`\n${title}: ${seen.length} function entries`);
  // The last group is the side of the caller, without the service and its webhooks.
  for (const owner of ['cli', 'sdk', 'mock', 'webhooks', 'internal', 'all packages', 'cli and sdk']) {
    const names = owner === 'all packages' ? ['\\w+'] : owner.split(' and ');
    const own = seen.filter(({ path }) => new RegExp(`^packages/(?:${names.join('|')})/`).test(path));
    if (own.length === 0) continue;
    const files = new Set(own.map(({ path }) => path)).size;
    const changes = own.filter(({ path }, index) => index > 0 && path !== own[index - 1]?.path).length;
    console.log(`  ${owner}: ${files} files, ${changes} changes of file`);
  }
  if (process.argv.includes('--entries'))
    for (const { path, name } of seen) console.log(`    ${path} ${name}`);
}

await report('payments.create with its webhook', { run: pay });
await report('a clock tick of 4 s that completes a payment', { prepare: pay, run: tick });
await report('service-cli pay', { run: payWithCli });
if (!received.includes('payment.completed'))
  throw new Error('The webhook of the completed payment is missing.');
await mock.close();
