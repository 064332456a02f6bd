import { createMock } from '@service/mock';
import { keepData, listen } from '@service/mock/node';
import { join } from 'node:path';
import { describe, expect, onTestFinished } from 'vitest';
import {
  closedEnvironment,
  it,
  keepSecret,
  makeFolder,
  type MockServer,
  type Ran,
  runCli,
  type RunOptions,
  startMockServer,
} from './support.ts';

const pay = ['pay', 'USD', 'EUR', '10', '--name', 'Acme'];

interface Row {
  id: string;
  path: string;
  response: { status: number };
  state: string;
  attempts: unknown[];
  event: string;
}

interface Following {
  /** The rows of `--json` so far. */
  readonly rows: () => Row[];
  readonly text: () => string;
  readonly notes: () => string;
  /** Presses Ctrl+C. */
  readonly stop: () => Promise<Ran>;
  readonly ended: Promise<Ran>;
}

function follow(argv: string[], options: RunOptions): Following {
  let stdout = '';
  let stderr = '';
  const interrupt = new AbortController();
  const ended = runCli(['sandbox', ...argv, '--follow'], {
    ...options,
    signal: interrupt.signal,
    onStdout: (text) => {
      stdout += text;
      options.onStdout?.(text);
    },
    onStderr: (text) => (stderr += text),
  });
  onTestFinished(() => interrupt.abort('SIGINT'));
  return {
    rows: () =>
      stdout
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line) as Row),
    text: () => stdout,
    notes: () => stderr,
    stop: () => {
      interrupt.abort('SIGINT');
      return ended;
    },
    ended,
  };
}

const call = async ({ env }: Pick<MockServer, 'env'>, path: string): Promise<void> => {
  await fetch(`${env.SERVICE_BASE_URL}${path}`, {
    headers: { authorization: `Bearer ${env.SERVICE_API_KEY}` },
  });
};

describe('sandbox requests list --follow', () => {
  it('prints the requests so far, then each new one with its response, and exits 0 on Ctrl+C', async ({
    mockServer,
  }) => {
    const { env } = mockServer;
    await call(mockServer, '/balance');
    const following = follow(['requests', 'list', '--json'], { env });
    await expect.poll(() => following.rows().map(({ path }) => path)).toEqual(['/api/v1/balance']);
    await call(mockServer, '/payments/pay_test_1');
    await mockServer.run(pay);
    const expected = [
      ['/api/v1/balance', 200],
      ['/api/v1/payments/pay_test_1', 404],
      ['/api/v1/payments', 201],
    ];
    await expect
      .poll(() => following.rows().map(({ path, response }) => [path, response.status]))
      .toEqual(expected);
    const { code, stderr } = await following.stop();
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(following.rows().map(({ path, response }) => [path, response.status])).toEqual(expected);
  });

  it('exits 3 if no mock responds at first, and 1 if it rejects the token', async () => {
    const silent = follow(['requests', 'list'], { env: await closedEnvironment() });
    expect((await silent.ended).code).toBe(3);
    const control = { token: keepSecret('a-token-of-the-test') };
    await using mockServer = await startMockServer({}, { control });
    const { code, stderr } = await follow(['requests', 'list', '--all-accounts'], mockServer).ended;
    expect(code).toBe(1);
    expect(stderr).toContain('Set SERVICE_SANDBOX_TOKEN.');
  });
});

describe('sandbox deliveries list --follow', () => {
  it('prints a delivery again after each change', async () => {
    await using mockServer = await startMockServer({ clock: 'manual', start: '2026-01-31T12:00:00Z' });
    const { env, mock } = mockServer;
    mock.sandbox.webhooks.collect();
    mock.sandbox.faults.inject({ target: 'delivery', kind: 'drop', event: 'payment.pending' });
    const following = follow(['deliveries', 'list', '--json'], { env });
    await mockServer.run(pay);
    await mock.sandbox.clock.advance('2m');
    const states = (event: string) =>
      following.rows().flatMap((row) => (row.event === event ? [`${row.state} ${row.attempts.length}`] : []));
    await expect.poll(() => states('payment.completed').at(-1)).toBe('acknowledged 1');
    await expect.poll(() => states('payment.pending').at(-1)).toBe('acknowledged 2');
    await following.stop();
    const seen = following.rows().map((row) => `${row.id} ${row.state} ${row.attempts.length}`);
    expect(new Set(seen).size).toBe(seen.length);
  });
});

describe('--follow over a reset of the sandbox', () => {
  it('prints the requests and deliveries after it, also with the ids of earlier ones', async () => {
    await using mockServer = await startMockServer({ clock: 'manual', start: '2026-01-31T12:00:00Z' });
    const { env, mock } = mockServer;
    mock.sandbox.webhooks.collect();
    mock.sandbox.baseline();
    const requests = follow(['requests', 'list', '--json'], { env });
    const deliveries = follow(['deliveries', 'list', '--json'], { env });
    const ids = (): string[] =>
      deliveries.rows().flatMap(({ id, state }) => (state === 'acknowledged' ? [id] : []));
    for (const count of [1, 2]) {
      await mockServer.run(pay);
      await expect.poll(() => ids().length).toBe(count);
      await expect.poll(() => requests.rows().length).toBe(count);
      mock.sandbox.reset();
    }
    await requests.stop();
    await deliveries.stop();
    expect(new Set(ids()).size).toBe(1);
    expect(requests.rows()).toHaveLength(2);
  });
});

describe('--follow over a restart of the mock', () => {
  it('connects again, and prints only changes of a mock with a data file', async () => {
    const path = join(makeFolder(), 'data.json');
    const start = async (port: number) => {
      const mock = createMock({ clock: 'manual', start: '2026-01-31T12:00:00Z', seed: 'follow' });
      const data = await keepData(mock, path);
      mock.sandbox.webhooks.collect();
      const server = await listen(mock, { port });
      keepSecret(mock.account.testKey);
      const env = { SERVICE_API_KEY: mock.account.testKey, SERVICE_BASE_URL: server.baseUrl };
      const stop = async (): Promise<void> => {
        await server.close();
        await mock.close();
        await data.close();
      };
      return { env, port: Number(new URL(server.url).port), stop };
    };
    const first = await start(0);
    const following = follow(['deliveries', 'list', '--json'], { env: first.env });
    const ids = (): string[] =>
      following.rows().flatMap(({ id, state }) => (state === 'acknowledged' ? [id] : []));
    await runCli(pay, { env: first.env });
    await expect.poll(() => ids().length).toBe(1);
    await first.stop();
    await expect
      .poll(following.notes)
      .toContain(`The mock at ${new URL(first.env.SERVICE_BASE_URL).origin} does not respond.`);
    const second = await start(first.port);
    await expect.poll(following.notes).toContain('The mock responds again.');
    await runCli(pay, { env: second.env });
    await expect.poll(() => ids().length).toBe(2);
    await following.stop();
    await second.stop();
    expect(new Set(ids()).size).toBe(2);
  });
});
