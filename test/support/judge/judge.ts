import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { buffer, text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { createMock, type Mock, type ProfileChoice } from '@service/mock';
import { probe, type ProbeResult, type WebhookSink } from '@service/probe';
import type { ReferenceService } from '../../services/services.ts';
import { judgeCalls, readRate } from './calls.ts';
import { type CallResult, compareRuns, type ComparedCall } from './compare.ts';
import { createReceiver, type Receiver, Session, type Target, type TestAccounts } from './session.ts';

export interface JudgeOptions {
  /** Factor by which the durations of the service are shorter. */
  readonly speed: number;
  /** Whether only the calls that do not wait are made, after a probe without payments. */
  readonly isShort?: boolean;
}

type JudgedService = Pick<ReferenceService, 'name' | 'accounts'>;

export interface RunningTarget extends AsyncDisposable {
  readonly target: Target;
}

/** Starts the program of a service in `test/services`. */
export async function startService(
  name: string,
  { speed, webhookUrl }: { readonly speed: number; readonly webhookUrl: string },
): Promise<RunningTarget> {
  const folder = new URL(`../../services/${name}/`, import.meta.url).pathname;
  // A service in another language has a script.
  const program = existsSync(`${folder}run.sh`)
    ? [`${folder}run.sh`, '--port', '0']
    : [process.execPath, `${folder}server.ts`];
  const [command, ...words] = [...program, '--webhook-url', webhookUrl, '--speed', String(speed)];
  const child = spawn(command, words, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH },
  });
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const stderr = text(child.stderr);
  const { value, done } = await createInterface({ input: child.stdout })[Symbol.asyncIterator]().next();
  if (done === true) throw new Error(`${name} printed no address: ${await stderr}`);
  const target = JSON.parse(value) as Target;
  // Reads can be behind the first deposits.
  const isReady = async (): Promise<boolean> => {
    const response = await fetch(`${target.baseUrl}/balance`, { headers: { 'x-api-key': target.apiKey } });
    return /"currency"/.test(await response.text());
  };
  while (!(await isReady())) await setTimeout(100);
  return {
    target,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL');
      await closed;
    },
  };
}

/** Receives webhooks on a free port. `receive` returns the status of the response. */
async function listen(
  receive: (body: Buffer, headers: Headers) => number,
): Promise<AsyncDisposable & { readonly url: string }> {
  const server = createServer((request, response) => {
    const headers = new Headers(request.headers as Record<string, string>);
    void buffer(request).then((body) => response.writeHead(receive(body, headers)).end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Makes the calls of a comparison, in order. */
async function runCalls(session: Session, isShort = false): Promise<CallResult[]> {
  session.firstRate = await readRate(session);
  const results: CallResult[] = [];
  for (const { name, isSlow = false, account, run } of judgeCalls) {
    const isPossible = account === undefined || session.accounts[account] !== undefined;
    if (isPossible && !(isShort && isSlow)) results.push({ name, observation: await run(session) });
  }
  return results;
}

export async function callService(
  { name, accounts }: JudgedService,
  { speed, isShort }: JudgeOptions,
): Promise<CallResult[]> {
  const receiver = createReceiver(() => performance.now());
  await using listener = await listen((body, headers) => receiver.receive(body.toString(), headers));
  await using running = await startService(name, { speed, webhookUrl: listener.url });
  receiver.secret = running.target.webhookSecret;
  return await runCalls(new Session(running.target, accounts, receiver), isShort);
}

/** Creates a payment of another account. Returns its id. */
async function payAsOther({ sandbox, fetch, baseUrl }: Mock): Promise<string> {
  const { testKey } = sandbox.accounts.create({ balances: { USD: '1000.00' } });
  const order = { from_currency: 'USD', to_currency: 'EUR', amount: 12, beneficiary_name: 'Other Ltd' };
  const response = await fetch(`${baseUrl}/payments`, {
    method: 'POST',
    headers: { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(order),
  });
  return ((await response.json()) as { data: { id: string } }).data.id;
}

export interface MockOptions {
  readonly profile: ProfileChoice;
  readonly accounts: TestAccounts;
  readonly seed: number;
  readonly isShort?: boolean | undefined;
}

/** Makes the calls to a mock with a profile, in process and with a manual clock that advances when a call waits. */
export async function callMock({ profile, accounts, seed, isShort }: MockOptions): Promise<CallResult[]> {
  let receiver: Receiver | undefined;
  const mock: Mock = createMock({
    clock: 'manual',
    start: new Date().toISOString(),
    seed,
    profile,
    fetch: async (request) =>
      new Response(null, { status: receiver!.receive(await request.text(), request.headers) }),
  });
  const { account, sandbox, baseUrl, fetch } = mock;
  const now = (): number => sandbox.clock.now().getTime();
  const sleep = async (milliseconds: number): Promise<void> => {
    await sandbox.clock.advance(`${Math.ceil(milliseconds)}ms`);
  };
  receiver = createReceiver(now);
  receiver.secret = sandbox.webhooks.setEndpoint({
    account,
    mode: 'test',
    url: 'http://localhost:9/',
  }).secret;
  const foreignPayment = await payAsOther(mock);
  const target = { baseUrl, apiKey: account.testKey, webhookSecret: receiver.secret, foreignPayment };
  return runCalls(new Session(target, accounts, receiver, { fetch, now, date: now, sleep }), isShort);
}

/** Makes the same calls to two services, or to two processes of one, whose differences are faults of the judge. */
export async function compareServices(
  service: ReferenceService,
  other: ReferenceService,
  options: JudgeOptions,
): Promise<ComparedCall[]> {
  return compareRuns(await callService(service, options), await callService(other, options), service);
}

/** Probes a service, plays the profile with the mock, and makes the same calls to both. */
export async function judgeService(
  service: ReferenceService,
  options: JudgeOptions,
): Promise<Pick<ProbeResult, 'findings'> & { readonly compared: ComparedCall[] }> {
  const { profile, findings } = await probeService(service, options);
  const { isShort } = options;
  const ofMock = await callMock({ profile, accounts: service.accounts, seed: 1, isShort });
  return { findings, compared: compareRuns(await callService(service, options), ofMock, service) };
}

export async function probeService(
  { name, accounts }: JudgedService,
  { speed, isShort = false }: JudgeOptions,
): Promise<ProbeResult> {
  let sink: WebhookSink | undefined;
  await using listener = await listen((body) => sink?.record(body) ?? 200);
  await using running = await startService(name, { speed, webhookUrl: listener.url });
  const { apiKey, baseUrl, foreignPayment } = running.target;
  const webhooks = async (given: WebhookSink): Promise<() => Promise<void>> => {
    sink = given;
    return async () => {};
  };
  const rest = isShort ? { payments: false } : { webhooks };
  const connection = { apiKey, baseUrl, onWarning: () => {} };
  return await probe(connection, { failing: Object.values(accounts), foreign: [foreignPayment], ...rest });
}
