// A mock that ends with SIGTERM under load, judged by its clients.
import { once } from 'node:events';
import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http';
import { createMock } from '@service/mock';
import { keepData } from '@service/mock/node';
import { type RunningMock, startMock } from './durability.ts';
import { stateOf } from './snapshot-state.ts';

/** The clients of a run, and the maximum time for their requests after SIGTERM. */
interface DrainOptions {
  readonly file: string;
  /** Clients that send one create after another on a connection that they keep. */
  readonly quick: number;
  /** Clients that send the second half of a body after SIGTERM. */
  readonly slow: number;
  /** Clients that never send the second half of a body. */
  readonly stalledBodies: number;
  /** Clients whose create is committed, and whose response never ends. */
  readonly stalledResponses: number;
  readonly grace: string;
}

/** The result of a run for the clients and the process. */
interface DrainReport {
  /** Creates with a complete response of status 201. */
  readonly answered: number;
  /** Creates with another complete response. */
  readonly rejected: number;
  /** Requests that were sent and had no complete response. */
  readonly cut: number;
  /** Requests that were not sent, because the mock refused the connection. */
  readonly refused: number;
  /** The number of cut requests that the mock reports. */
  readonly reportedCut: number;
  readonly exitCode: number | null;
  /** Answered creates without exactly one payment, and cut ones with more than one. */
  readonly wrongPayments: number;
  /** Cut creates with a payment. */
  readonly cutPayments: number;
  /** Requests without exactly one payment after a retry of each cut create at the restarted mock. */
  readonly wrongAfterRetry: number;
}

type Outcome = 'answered' | 'rejected' | 'cut' | 'refused';

/** The requests of a run by the names of their beneficiaries. */
interface Run {
  readonly mock: RunningMock;
  readonly outcomes: Map<string, Outcome>;
  readonly agents: Agent[];
}

const toBody = (name: string): string =>
  JSON.stringify({ from_currency: 'USD', to_currency: 'EUR', amount: 1, beneficiary_name: name });

function openRequest(
  { mock, agents }: Run,
  name: string,
  agent = new Agent({ keepAlive: true }),
): ClientRequest {
  agents.push(agent);
  return request(`${mock.baseUrl}/payments`, {
    method: 'POST',
    agent,
    headers: {
      'x-api-key': mock.key,
      'content-type': 'application/json',
      'content-length': toBody(name).length,
      'idempotency-key': name.replaceAll(' ', '-'),
    },
  });
}

/** Waits for the end of a request. Never rejects. */
async function judgeRequest(run: Run, name: string, sent: ClientRequest): Promise<Outcome> {
  const outcome = await new Promise<Outcome>((resolve) => {
    sent.on('response', (response: IncomingMessage) => {
      response.resume();
      response.once('close', () => {
        if (!response.complete) return resolve('cut');
        resolve(response.statusCode === 201 ? 'answered' : 'rejected');
      });
    });
    sent.on('error', ({ code }: NodeJS.ErrnoException) =>
      resolve(code === 'ECONNREFUSED' ? 'refused' : 'cut'),
    );
  });
  run.outcomes.set(name, outcome);
  return outcome;
}

/** Sends creates until one is not answered. Calls `onAnswer` after each answer. */
async function sendQuickly(run: Run, client: string, agent: Agent, onAnswer: () => void): Promise<void> {
  for (let index = 0; ; index += 1) {
    const name = `${client} ${index}`;
    const sent = openRequest(run, name, agent);
    sent.end(toBody(name));
    if ((await judgeRequest(run, name, sent)) !== 'answered') return;
    onAnswer();
  }
}

/** Sends the first half of a create as soon as the mock reads its body. */
async function sendHalf(run: Run, name: string): Promise<ClientRequest> {
  const sent = openRequest(run, name);
  sent.setHeader('expect', '100-continue').flushHeaders();
  await once(sent, 'continue');
  sent.write(toBody(name).slice(0, 20));
  return sent;
}

async function control({ mock }: Run, path: string, init?: RequestInit): Promise<unknown> {
  const response = await fetch(new URL(`/_sandbox/${path}`, mock.baseUrl), init);
  if (!response.ok) throw new Error(`${path} responded ${response.status}.`);
  return response.status === 204 ? undefined : response.json();
}

const post = (body: object): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

/** Runs clients against `service-cli mock --data`, ends it with SIGTERM, and compares their outcomes with its report. */
export async function runDrain(options: DrainOptions): Promise<DrainReport> {
  const flags = ['--data', options.file, '--grace', options.grace, '--quiet', '--seed', 'drain'];
  const mock = await startMock(...flags);
  let errors = '';
  mock.process.stderr?.on('data', (part: Buffer) => (errors += String(part)));
  const run: Run = { mock, outcomes: new Map(), agents: [] };
  await control(run, 'wallets/set', post({ currency: 'USD', amount: 1_000_000_000 }));
  const judged: Promise<unknown>[] = [];
  const { stalledResponses } = options;
  if (stalledResponses > 0)
    await control(
      run,
      'faults',
      post({ kind: 'stalled', operation: 'createPayment', times: stalledResponses }),
    );
  for (let client = 0; client < stalledResponses; client += 1) {
    const name = `stalled response ${client}`;
    const sent = openRequest(run, name);
    judged.push(judgeRequest(run, name, sent));
    sent.end(toBody(name));
    await once(sent, 'response');
  }
  const { promise: warm, resolve: startEnd } = Promise.withResolvers<void>();
  let answers = 0;
  const answered = new Set<number>();
  const quick = Array.from({ length: options.quick }, (_, client) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    return sendQuickly(run, `quick ${client}`, agent, () => {
      answers += 1;
      answered.add(client);
      // A client that is still connecting could not tell a refused connection from a cut request.
      if (answers >= 3 * options.quick && answered.size === options.quick) startEnd();
    });
  });
  await Promise.race([warm, Promise.all(quick)]);
  const sendHalves = (kind: string, count: number): Promise<[string, ClientRequest][]> =>
    Promise.all(
      Array.from({ length: count }, async (_, client) => {
        const name = `${kind} ${client}`;
        return [name, await sendHalf(run, name)];
      }),
    );
  const slow = await sendHalves('slow body', options.slow);
  const stalled = await sendHalves('stalled body', options.stalledBodies);
  for (const [name, sent] of [...slow, ...stalled]) judged.push(judgeRequest(run, name, sent));
  const ended = once(mock.process, 'close');
  mock.process.kill('SIGTERM');
  await Promise.all(quick);
  for (const [name, sent] of slow) sent.end(toBody(name).slice(20));
  await Promise.all(judged);
  const [exitCode] = (await ended) as [number | null];
  for (const agent of run.agents) agent.destroy();
  const [, reported = '0'] = /(\d+) requests? (?:was|were) cut/.exec(errors) ?? [];
  const count = (wanted: Outcome): number =>
    [...run.outcomes.values()].filter((outcome) => outcome === wanted).length;
  return {
    answered: count('answered'),
    rejected: count('rejected'),
    cut: count('cut'),
    refused: count('refused'),
    reportedCut: Number(reported),
    exitCode,
    ...(await comparePayments(options.file, run)),
  };
}

/** Compares the payments of the data file with the outcomes, also after a retry of each cut create. */
async function comparePayments(
  file: string,
  { outcomes, mock: { key } }: Run,
): Promise<Pick<DrainReport, 'wrongPayments' | 'cutPayments' | 'wrongAfterRetry'>> {
  const mock = createMock();
  await using data = await keepData(mock, file);
  const countPayments = (): Map<string, number> => {
    const counts = new Map<string, number>();
    for (const { beneficiary } of stateOf(mock.sandbox.snapshot()).accounts[0]?.modes.test.payments ?? [])
      counts.set(beneficiary.name, (counts.get(beneficiary.name) ?? 0) + 1);
    return counts;
  };
  const entries = [...outcomes];
  const cut = entries.filter(([, outcome]) => outcome === 'cut').map(([name]) => name);
  const before = countPayments();
  const isWrong = ([name, outcome]: [string, Outcome]): boolean => {
    const payments = before.get(name) ?? 0;
    return outcome === 'answered' ? payments !== 1 : payments > (outcome === 'cut' ? 1 : 0);
  };
  for (const name of cut)
    await mock.fetch(`${mock.baseUrl}/payments`, {
      method: 'POST',
      headers: {
        'x-api-key': key,
        'content-type': 'application/json',
        'idempotency-key': name.replaceAll(' ', '-'),
      },
      body: toBody(name),
    });
  const after = countPayments();
  await data.save();
  return {
    wrongPayments: entries.filter(isWrong).length,
    cutPayments: cut.filter((name) => before.has(name)).length,
    wrongAfterRetry: entries.filter(
      ([name, outcome]) => (after.get(name) ?? 0) !== (outcome === 'refused' ? 0 : 1),
    ).length,
  };
}
