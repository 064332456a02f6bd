// Runs the recipes of examples/shared-mock: three mocks behind nginx and HAProxy, with the SDK, the control API, webhooks
// and the smoke test, and one mock that is killed.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createClient, type Client, ServiceError } from '@service/sdk';
import { isValidSignature } from '@service/webhooks';
import { childEnv } from './support/child-env.ts';
import { findClosedPort, listenAtFreePort } from './support/listen.ts';
import { run } from '../packages/cli/src/program.ts';

const root = join(import.meta.dirname, '..');
const recipes = join(root, 'examples');
const cli = join(root, 'packages/cli/bin/service-cli.js');
const page = readFileSync(join(root, 'packages/mock/docs/docker-and-ci.md'), 'utf8');
const token = 'a-token-of-the-test-0123';

const folder = mkdtempSync(join(tmpdir(), 'shared-mock-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** A process of a mock that keeps its data in a file, as in the guide. */
interface MockProcess {
  port: number;
  child: ChildProcess;
  start: () => Promise<void>;
}

async function createMockProcess(name: string): Promise<MockProcess> {
  const port = await findClosedPort();
  const data = join(folder, `${name}.data`);
  const [, command = ''] = /service-cli mock (.* --port 4011) &/.exec(page) ?? [];
  const args = command.replace('/var/lib/mock/4011.data', data).replace('4011', String(port)).split(' ');
  const mock: MockProcess = {
    port,
    child: undefined as never,
    async start() {
      const env = { ...childEnv, SERVICE_SANDBOX_TOKEN: token };
      mock.child = spawn(process.execPath, [cli, 'mock', ...args, '--speed', '60'], { cwd: folder, env });
      mock.child.stderr!.resume();
      for await (const line of createInterface(mock.child.stdout!)) if (line.startsWith('Ready')) return;
      throw new Error('The mock has ended.');
    },
  };
  await mock.start();
  return mock;
}

/** Starts a proxy with a recipe, with other ports. */
type StartProxy = (config: string) => ChildProcess;

// Debian installs both to a folder that only root has in its PATH.
const proxyEnv = { PATH: `${process.env.PATH}:/usr/sbin` };

const startNginx: StartProxy = (config) => {
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${name};`,
  );
  const user = process.getuid?.() === 0 ? 'user root;' : '';
  const main = `${user} daemon off; pid nginx.pid; error_log stderr; events {} http { access_log off; ${paths.join(' ')}\n${config}\n}`;
  writeFileSync(join(folder, 'nginx.conf'), main);
  return spawn('nginx', ['-p', folder, '-e', 'stderr', '-c', 'nginx.conf'], { env: proxyEnv });
};

const startHaproxy: StartProxy = (config) => {
  writeFileSync(join(folder, 'haproxy.cfg'), config);
  return spawn('haproxy', ['-db', '-f', join(folder, 'haproxy.cfg')], { env: proxyEnv });
};

/** Starts a proxy. `probe` returns the status of a health check when it listens. */
async function openProxy(start: StartProxy, recipe: string, mocks: MockProcess[]) {
  const port = await findClosedPort();
  const ports: Record<string, number> = { 4010: port };
  mocks.forEach((mock, index) => (ports[4011 + index] = mock.port));
  const config = readFileSync(join(recipes, recipe), 'utf8').replaceAll(/\b401\d\b/g, (each) =>
    String(ports[each]),
  );
  const child = start(config);
  let log = '';
  child.stderr!.on('data', (text) => (log += String(text)));
  child.on('error', (error) => (log += `${error.message}. On Debian: apt-get install nginx-light haproxy`));
  const probe = async (): Promise<string> => {
    if (child.pid === undefined || child.exitCode !== null) throw new Error(log);
    return fetch(`http://127.0.0.1:${port}/_sandbox/health`).then(
      ({ status }) => `${status}`,
      () => log,
    );
  };
  return { child, port, probe };
}

const stop = async (child: ChildProcess, signal: NodeJS.Signals): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill(signal);
  await ended;
};

/** Runs a command of `service-cli` with the key of a job. Returns its exit code and output. */
async function runCommand(
  argv: string[],
  env: Record<string, string>,
  signal = new AbortController().signal,
) {
  let [stdout, stderr] = ['', ''];
  const sinks = {
    stdout: { write: (text: string) => void (stdout += text) },
    stderr: { write: (text: string) => void (stderr += text) },
  };
  const code = await run({ argv, env, stdin: (async function* () {})(), ...sinks, signal, cwd: folder });
  return { code, stdout, stderr };
}

const order = { from_currency: 'USD', to_currency: 'EUR', beneficiary_name: 'Acme Supplies Ltd' };

describe.each([
  ['nginx', startNginx, 'shared-mock/nginx.conf', 502],
  ['HAProxy', startHaproxy, 'shared-mock/haproxy.cfg', 503],
])('three mocks behind %s', (name, start, recipe, statusOfDown) => {
  const mocks: MockProcess[] = [];
  let proxy: Awaited<ReturnType<typeof openProxy>>;
  let origin = '';

  beforeAll(async () => {
    for (const each of await Promise.all([1, 2, 3].map((index) => createMockProcess(`${name}-${index}`))))
      mocks.push(each);
    proxy = await openProxy(start, recipe, mocks);
    origin = `http://127.0.0.1:${proxy.port}`;
  });

  afterAll(async () => {
    await Promise.all([...mocks.map(({ child }) => stop(child, 'SIGTERM')), stop(proxy.child, 'SIGTERM')]);
  });

  const keyOf = (job: number): string => `service_test_${name.toLowerCase()}_${job}`;
  const clientOf = (job: number, maxRetries = 2): Client =>
    createClient({ apiKey: keyOf(job), baseUrl: `${origin}/api/v1`, maxRetries, readLag: 0 });
  const envOf = (job: number) => ({ SERVICE_API_KEY: keyOf(job), SERVICE_BASE_URL: `${origin}/api/v1` });
  const pay = (client: Client, amount = '10.00') => client.payments.create({ ...order, amount });

  /** Returns the mocks that have the account of each job. */
  const findOwners = async (jobs: number[]): Promise<MockProcess[][]> => {
    const lists = await Promise.all(mocks.map(listAccounts));
    return Promise.all(
      jobs.map(async (job) => {
        const { stdout } = await runCommand(['sandbox', 'account', 'get', '--json'], envOf(job));
        const { id } = JSON.parse(stdout) as { id: string };
        return mocks.filter((_, index) => lists[index]!.includes(id));
      }),
    );
  };

  it('respond to health checks', async () => {
    await expect.poll(proxy.probe).toBe('200');
  });

  it('keep each key on one mock, in either header, and use all mocks', async () => {
    const jobs = Array.from({ length: 40 }, (_, index) => 100 + index);
    await Promise.all(
      jobs.map(async (job) => {
        const payment = await pay(clientOf(job));
        for (const headers of [
          { 'x-api-key': keyOf(job) },
          { authorization: `Bearer ${keyOf(job)}` },
          { authorization: `bearer  ${keyOf(job)}` },
        ]) {
          const response = await fetch(`${origin}/api/v1/payments/${payment.id}`, { headers });
          expect([headers, response.status]).toEqual([headers, 200]);
        }
      }),
    );
    const owners = await findOwners(jobs);
    expect(owners.map((each) => each.length)).toEqual(jobs.map(() => 1));
    expect(new Set(owners.flat()).size).toBe(3);
  });

  it('receive control calls with the key of a job, which change no other job', async () => {
    for (const job of [20, 21, 22]) {
      const [own, other] = [clientOf(job), clientOf(job + 10)];
      const paid = await pay(own);
      const kept = await pay(other);
      const wallet = await runCommand(
        ['sandbox', 'wallet', 'set', 'currency=USD', 'amount=77.00'],
        envOf(job),
      );
      expect(wallet).toEqual({ code: 0, stdout: 'Done.\n', stderr: '' });
      expect(JSON.stringify(await own.balance.retrieve())).toContain('77');
      const fault = ['sandbox', 'faults', 'inject', 'kind=status', 'status=503', 'operation=getPayment'];
      expect((await runCommand(fault, envOf(job))).code).toBe(0);
      await expect(clientOf(job, 0).payments.retrieve(paid.id)).rejects.toMatchObject({ status: 503 });
      expect((await other.payments.retrieve(kept.id)).id).toBe(kept.id);
      expect((await runCommand(['sandbox', 'reset'], envOf(job))).code).toBe(1);
      expect((await runCommand(['sandbox', 'faults', 'clear'], envOf(job))).code).toBe(0);
      expect((await own.payments.retrieve(paid.id)).id).toBe(paid.id);
      expect((await other.payments.retrieve(kept.id)).id).toBe(kept.id);
    }
  });

  it('send webhooks to the endpoint that a job has set', async () => {
    for (const job of [50, 51, 52]) {
      const events: { body: string; signature: string }[] = [];
      const receiver = createServer((request, response) => {
        const chunks: Buffer[] = [];
        request.on('data', (chunk: Buffer) => chunks.push(chunk));
        request.on('end', () => {
          const signature = String(request.headers['x-service-signature']);
          events.push({ body: Buffer.concat(chunks).toString(), signature });
          response.end();
        });
      });
      const port = await listenAtFreePort(receiver);
      onTestFinished(() => void receiver.close());
      const set = ['sandbox', 'endpoint', 'set', `url=http://127.0.0.1:${port}/webhooks`];
      const { stdout } = await runCommand(set, envOf(job));
      const { id } = await pay(clientOf(job));
      await expect.poll(() => events).toHaveLength(3);
      for (const { body, signature } of events) {
        expect(isValidSignature(body, signature, stdout.trim())).toBe(true);
        expect(JSON.parse(body)).toMatchObject({ data: { id } });
      }
    }
  });

  it('pass the smoke test', async () => {
    const { code, stdout } = await runCommand(['smoke', '--json'], envOf(60));
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { ok: true }]);
  });

  it('answer only the keys of a killed mock with an error, and continue after its restart', async () => {
    const jobs = Array.from({ length: 20 }, (_, index) => 200 + index);
    const paid = await Promise.all(jobs.map((job) => pay(clientOf(job))));
    const payments = new Map(jobs.map((job, index) => [job, paid[index]!]));
    const owners = (await findOwners(jobs)).flat();
    const [victim] = owners;
    const isOfVictim = new Map(jobs.map((job, index) => [job, owners[index] === victim]));
    await stop(victim!.child, 'SIGKILL');
    const outcomes = await Promise.all(
      jobs.map(async (job) => {
        const id = payments.get(job)!.id;
        return clientOf(job, 0)
          .payments.retrieve(id)
          .then(
            (payment) => payment.id === id,
            (error: unknown) => (error instanceof ServiceError ? [error.status, error.message] : error),
          );
      }),
    );
    expect(new Set(isOfVictim.values())).toEqual(new Set([true, false]));
    const down = [statusOfDown, expect.stringContaining('The mock of this API key is down.')];
    expect(outcomes).toEqual(jobs.map((job) => (isOfVictim.get(job) ? down : true)));
    const creates = await Promise.allSettled(jobs.map((job) => pay(clientOf(job, 0))));
    expect(creates.map(({ status }) => status)).toEqual(
      jobs.map((job) => (isOfVictim.get(job) ? 'rejected' : 'fulfilled')),
    );
    await victim!.start();
    const seen = await Promise.all(jobs.map((job) => clientOf(job).payments.retrieve(payments.get(job)!.id)));
    expect(seen.map(({ id }) => id)).toEqual(jobs.map((job) => payments.get(job)!.id));
    const next = await Promise.all(jobs.map((job) => pay(clientOf(job))));
    expect(next.filter(({ id }, index) => id === payments.get(jobs[index]!)!.id)).toEqual([]);
  });
});

/** Returns the ids of the accounts of a mock. */
async function listAccounts({ port }: MockProcess): Promise<string[]> {
  const headers = { authorization: `Bearer ${token}` };
  const response = await fetch(`http://127.0.0.1:${port}/_sandbox/accounts`, { headers });
  return ((await response.json()) as { accounts: { id: string }[] }).accounts.map(({ id }) => id);
}
