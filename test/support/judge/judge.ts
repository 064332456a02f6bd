import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ReferenceService } from '../../services/services.ts';
import { judgeCalls, startRun } from './calls.ts';
import { type CallResult, compareRuns, type ComparedCall } from './compare.ts';
import { probeService, type RunningTarget, startMock, startService } from './processes.ts';
import { startReceiver } from './receiver.ts';
import { Session, type TestAccounts } from './session.ts';

export interface JudgeOptions {
  /** Factor by which the durations of the service are shorter. */
  readonly speed: number;
  /** Whether only the calls that do not wait are made, after a probe without payments. */
  readonly isShort?: boolean;
}

/** Which calls of the comparison are made. */
export interface CallOptions {
  readonly accounts: TestAccounts;
  /** Whether only the calls that do not wait are made. */
  readonly isShort?: boolean;
}

/** Makes the calls of a comparison, in order. */
export async function runCalls(
  session: Session,
  { accounts, isShort = false }: CallOptions,
): Promise<CallResult[]> {
  await startRun(session);
  const results: CallResult[] = [];
  for (const { name, isSlow = false, account, run } of judgeCalls) {
    const isPossible = account === undefined || accounts[account] !== undefined;
    if (isPossible && !(isShort && isSlow)) results.push({ name, observation: await run(session) });
  }
  return results;
}

/** Makes the calls to a target that sends its webhooks to a receiver. */
async function makeCalls(
  service: ReferenceService,
  start: (webhookUrl: string) => Promise<RunningTarget>,
  { isShort = false }: JudgeOptions,
): Promise<CallResult[]> {
  await using receiver = await startReceiver();
  await using running = await start(receiver.url);
  receiver.secret = running.target.webhookSecret;
  const session = new Session(running.target, service.accounts, receiver);
  return await runCalls(session, { accounts: service.accounts, isShort });
}

/** Makes the same calls to two services, or to two processes of one, whose differences are faults of the judge. */
export async function compareServices(
  service: ReferenceService,
  other: ReferenceService,
  options: JudgeOptions,
): Promise<ComparedCall[]> {
  const [first, second] = [service, other].map(
    ({ name }) =>
      async (webhookUrl: string) =>
        startService({ name, ...options, webhookUrl }),
  );
  return compareRuns(
    await makeCalls(service, first!, options),
    await makeCalls(other, second!, options),
    service,
  );
}

/** Probes a service, plays the profile with the mock, and makes the same calls to both. */
export async function judgeService(
  service: ReferenceService,
  options: JudgeOptions,
): Promise<{ readonly compared: ComparedCall[]; readonly findings: string; readonly probeSeconds: number }> {
  const folder = await mkdtemp(join(tmpdir(), 'judge-'));
  const profile = join(folder, 'profile.json');
  try {
    const start = performance.now();
    const findings = await probe(service, profile, options);
    const probeSeconds = (performance.now() - start) / 1_000;
    const ofService = await makeCalls(
      service,
      (webhookUrl) => startService({ ...service, ...options, webhookUrl }),
      options,
    );
    const ofMock = await makeCalls(service, (webhookUrl) => startMock({ profile, webhookUrl }), options);
    return { compared: compareRuns(ofService, ofMock, service), findings, probeSeconds };
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function probe(
  service: ReferenceService,
  profile: string,
  { speed, isShort = false }: JudgeOptions,
): Promise<string> {
  const { failing, returning, unavailable } = service.accounts;
  const port = String(await findFreePort());
  await using running = await startService({ ...service, speed, webhookUrl: `http://127.0.0.1:${port}/` });
  const { target } = running;
  const args = [
    '--failing',
    failing,
    '--foreign-payment',
    target.foreignPayment,
    ...(returning === undefined ? [] : ['--returning', returning]),
    ...(unavailable === undefined ? [] : ['--unavailable', unavailable]),
    ...(isShort ? ['--no-payments'] : ['--burst', '100', '--listen', port, '--webhook-timeout', '12s']),
  ];
  // The service must run until the probe ends.
  return await probeService({ target, profile, args });
}

async function findFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
