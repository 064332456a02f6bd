// Measures other local services for tests: their size, start and memory, and the behavior of a payment in each, and prints a table.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { packages, root } from '../scripts/packed.ts';
import { capture } from '../scripts/run.ts';
import { medianOf, printTable } from './figures.ts';

const PORT = 18_100;
/** The user of WireMock writes its responses. */
const AS_STUBBED = 'as stubbed';
const STARTS = 5;
/** The time for which webhooks are counted, in milliseconds. Longer than the first delay of the mock. */
const WEBHOOK_TIME = 8_000;

type Call = readonly [path: string, init: RequestInit];

/** The API of a peer: a payment that is created and read. */
interface Api {
  readonly create: (amount: number, key?: string) => Call;
  /** The path of the payment of an id. */
  readonly path: (id: string) => string;
  readonly auth: string;
  readonly read: (body: unknown) => Payment;
}

interface Payment {
  readonly id?: string | undefined;
  readonly amount?: number | undefined;
}

/** Another local service for tests, and how to run it in an empty folder. */
interface Peer {
  readonly name: string;
  readonly install: string;
  readonly files?: Readonly<Record<string, string>>;
  readonly start: string;
  readonly api: Api | undefined;
  /** Absent if the peer sends no webhooks. */
  readonly webhooks?: {
    /** The request that sets the receiver. Default: the seed file sets it. */
    readonly endpoint?: Call;
    /** The request that causes a webhook. Default: a payment. */
    readonly cause?: Call;
  };
}

/** The port of the receiver of webhooks, which seed files name. */
const RECEIVER_PORT = 18_199;

const form = (fields: Readonly<Record<string, string>>, key?: string): RequestInit => ({
  method: 'POST',
  headers: {
    authorization: 'Bearer sk_test_123',
    ...(key === undefined ? {} : { 'idempotency-key': key }),
  },
  body: new URLSearchParams(fields),
});

const stripe: Api = {
  create: (amount, key) => ['/v1/payment_intents', form({ amount: String(amount), currency: 'usd' }, key)],
  path: (id) => `/v1/payment_intents/${id}`,
  auth: 'Bearer sk_test_123',
  read: (body) => body as Payment,
};

const createService = (prefix: string): Api => ({
  create: (amount, key) => [
    `${prefix}/payments`,
    {
      method: 'POST',
      headers: {
        authorization: 'Bearer service_test_peer',
        'content-type': 'application/json',
        ...(key === undefined ? {} : { 'idempotency-key': key }),
      },
      body: JSON.stringify({ from_currency: 'USD', to_currency: 'EUR', amount, beneficiary_name: 'Acme' }),
    },
  ],
  path: (id) => `${prefix}/payments/${id}`,
  auth: 'Bearer service_test_peer',
  read(body) {
    const { data } = body as { readonly data?: { readonly id?: string; readonly send_amount?: number } };
    return { id: data?.id, amount: data?.send_amount };
  },
});

const peers: readonly Peer[] = [
  {
    name: 'service-cli mock',
    files: {
      'service.sandbox.yaml': `accounts:
  - name: peer
    testKey: service_test_peer
    endpoint:
      url: http://127.0.0.1:${RECEIVER_PORT}/
`,
    },
    install: `npm i ${packages.map((name) => `$(npm pack --silent --pack-destination . ${join(root, 'packages', name)})`).join(' ')} && rm *.tgz`,
    start: `${process.execPath} node_modules/.bin/service-cli mock --port ${PORT} --quiet`,
    api: createService('/api/v1'),
    webhooks: {},
  },
  {
    name: 'emulate 0.12.2 (stripe)',
    install: 'npm i emulate@0.12.2',
    files: {
      'emulate.config.yaml': `stripe:
  webhooks:
    - url: http://127.0.0.1:${RECEIVER_PORT}/
      events: ['*']
      secret: whsec_test
`,
    },
    start: `${process.execPath} node_modules/.bin/emulate --service stripe --port ${PORT}`,
    api: stripe,
    webhooks: {},
  },
  {
    name: 'localstripe 1.15.10',
    install: 'python3 -m venv . && bin/pip install --quiet localstripe==1.15.10',
    start: `bin/localstripe --port ${PORT} --from-scratch`,
    api: stripe,
    webhooks: {
      endpoint: [
        '/_config/webhooks/peer',
        form({ url: `http://127.0.0.1:${RECEIVER_PORT}/`, secret: 'whsec_test' }),
      ],
      cause: ['/v1/customers', form({ email: 'a@example.com' })],
    },
  },
  {
    name: 'stripe-mock 0.203.0',
    install: 'GOBIN=$PWD go install github.com/stripe/stripe-mock@v0.203.0',
    start: `./stripe-mock -http-port ${PORT} -https-port ${PORT + 1}`,
    api: stripe,
  },
  {
    name: 'Prism 5.16.0',
    install: 'npm i @stoplight/prism-cli@5.16.0',
    start: `${process.execPath} node_modules/.bin/prism mock -p ${PORT} ${join(root, 'openapi.yaml')}`,
    api: createService(''),
  },
  {
    name: 'WireMock 3.13.2',
    install: 'npm i wiremock@3.13.2',
    start: `java -jar node_modules/wiremock/build/wiremock-standalone-3.13.2.jar --port ${PORT}`,
    api: undefined, // it responds with stubs that its user writes
  },
];

const send = (path: string, init?: RequestInit): Promise<Response> =>
  fetch(`http://127.0.0.1:${PORT}${path}`, init);

interface Running {
  readonly child: ChildProcess;
  /** The time from spawn to the first response, in milliseconds. */
  readonly time: number;
}

/** Starts a peer and waits until it responds. */
async function start(peer: Peer, cwd: string): Promise<Running> {
  const [program = '', ...args] = peer.start.split(' ');
  const startedAt = performance.now();
  const child = spawn(program, args, { cwd, stdio: 'ignore' });
  while (child.exitCode === null) {
    const response = await send('/').catch(() => undefined);
    if (response !== undefined) return { child, time: performance.now() - startedAt };
    await wait(5);
  }
  throw new Error(`${peer.name} exited with ${child.exitCode}.`);
}

async function stop({ child }: Running): Promise<void> {
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

/** Returns how a peer treats a payment: one cell per question. */
async function ask({ api }: Peer): Promise<string[]> {
  if (api === undefined) return Array.from({ length: 5 }, () => AS_STUBBED);
  const create = async (amount: number, key?: string) => {
    const response = await send(...api.create(amount, key));
    return { status: response.status, id: api.read(await response.json()).id ?? '' };
  };
  const headers = { authorization: api.auth };
  const { id } = await create(4242);
  const read = await send(api.path(id), { headers });
  const unknown = await send(api.path(`${id.slice(0, -4)}0000`), { headers });
  const [first, second] = [await create(4243, 'peer-key-1'), await create(4243, 'peer-key-1')];
  return [
    api.read(await read.json()).amount === 4242,
    unknown.status === 404,
    (await create(-5)).status >= 400,
    (await send(api.path(id))).status === 401,
    first.id === second.id && first.id !== id,
  ].map((isTrue) => (isTrue ? 'yes' : 'no'));
}

/** Counts the attempts to deliver one webhook to a receiver that responds 500. */
async function countAttempts({ api, webhooks }: Peer): Promise<string> {
  if (api === undefined) return AS_STUBBED;
  if (webhooks === undefined) return 'none';
  const bodies: string[] = [];
  const receiver = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += String(chunk)));
    request.on('end', () => {
      bodies.push(body);
      response.writeHead(500).end();
    });
  }).listen(RECEIVER_PORT, '127.0.0.1');
  await once(receiver, 'listening');
  for (const call of [webhooks.endpoint, webhooks.cause ?? api.create(4242)]) {
    const response = call && (await send(...call));
    if (response?.ok === false) throw new Error(`${call?.[0]} responded ${response.status}.`);
  }
  await wait(WEBHOOK_TIME);
  receiver.close();
  receiver.closeAllConnections();
  return String(bodies.filter((body) => body === bodies[0]).length);
}

async function measure(peer: Peer): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'peers-'));
  try {
    capture('sh', ['-c', peer.install], folder);
    for (const [name, text] of Object.entries(peer.files ?? {})) writeFileSync(join(folder, name), text);
    const megabytes = Number.parseInt(execFileSync('du', ['-sm', folder], { encoding: 'utf8' }), 10);
    const times: number[] = [];
    for (let round = 0; round < STARTS; round += 1) {
      const running = await start(peer, folder);
      times.push(running.time);
      await stop(running);
    }
    const running = await start(peer, folder);
    const rss = execFileSync('ps', ['-o', 'rss=', '-p', String(running.child.pid)], { encoding: 'utf8' });
    const answers = await ask(peer);
    const attempts = await countAttempts(peer);
    await stop(running);
    const [most, least] = [Math.max(...times), Math.min(...times)].map((time) => (time / 1000).toFixed(2));
    const time = (medianOf(times) / 1000).toFixed(2);
    return [
      `${megabytes} MB`,
      `${time} s (${least} to ${most})`,
      `${Math.round(Number(rss) / 1024)} MB`,
      ...answers,
      attempts,
    ];
  } finally {
    rmSync(folder, { recursive: true, maxRetries: 10 });
  }
}

const rows = [
  'tool',
  'installed',
  'start',
  'memory',
  'reads back',
  'unknown id: 404',
  'refuses -5',
  'refuses no key',
  'same key, same payment',
  'attempts of a webhook',
].map((title) => [title]);
const names = process.argv.slice(2);
for (const peer of peers.filter(({ name }) => names.length === 0 || names.includes(name)))
  for (const [index, cell] of [peer.name, ...(await measure(peer))].entries()) rows[index]?.push(cell);
printTable(rows[0] ?? [], rows.slice(1));
