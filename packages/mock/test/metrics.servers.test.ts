import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { keepData } from '@service/mock/node';
import { countItems } from '../src/control/metrics.ts';
import type { SandboxParts } from '../src/control/operation.ts';
import { PARTS } from '../src/core.ts';
import { type ControlledMock, serveControl } from './control-support.ts';
import { createCaller, createStillMock, order } from './support.ts';

/** Reads the metrics, and has `promtool` of Prometheus check their format, names and types. */
async function readMetrics({ server }: Pick<ControlledMock, 'server'>): Promise<Map<string, number>> {
  const response = await fetch(`${server.url}/_sandbox/metrics`);
  const text = await response.text();
  expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  const { status, stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], {
    input: text,
    encoding: 'utf8',
  });
  expect([status, stdout, stderr]).toEqual([0, '', '']);
  const samples = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(samples.map((line) => [line.replace(/ \S+$/, ''), Number(/\S+$/.exec(line)?.[0])]));
}

describe('GET /metrics', () => {
  it('is valid for promtool, also for a new sandbox', async () => {
    const metrics = await readMetrics(await serveControl());
    expect(metrics.get('sandbox_accounts{created_by="control"}')).toBe(1);
    expect(metrics.get('sandbox_payments{mode="live",status="completed"}')).toBe(0);
    expect(metrics.get('process_resident_memory_bytes')).toBeGreaterThan(1e7);
    expect([...metrics.values()].filter((value) => !Number.isFinite(value))).toEqual([]);
  });

  it('counts requests by operation and status, also across a reset', async () => {
    const served = await serveControl();
    const { mock, get, post } = served;
    await post('/payments', order());
    await post('/payments', { amount: 'none' });
    await get('/balance');
    await get('/balance');
    await createCaller(mock, 'service_test_unknown').get('/balance');
    await get('/nowhere');
    mock.sandbox.faults.inject({ kind: 'reset_after_commit' });
    await post('/payments', order()).catch(() => {});
    mock.sandbox.reset();
    const metrics = await readMetrics(served);
    const requests = [...metrics].filter(([name]) => name.startsWith('sandbox_requests_total'));
    expect(Object.fromEntries(requests)).toEqual({
      'sandbox_requests_total{operation="createPayment",status="201"}': 1,
      'sandbox_requests_total{operation="createPayment",status="422"}': 1,
      'sandbox_requests_total{operation="createPayment",status="connection_lost"}': 1,
      'sandbox_requests_total{operation="getBalance",status="200"}': 2,
      'sandbox_requests_total{operation="getBalance",status="401"}': 1,
      'sandbox_requests_total{operation="none",status="404"}': 1,
    });
  });

  it('counts payments by status, deliveries by state, and scheduled work', async () => {
    const served = await serveControl({ fetch: async () => new Response(null, { status: 500 }) });
    const { mock, post } = served;
    mock.sandbox.webhooks.setEndpoint({ url: 'http://localhost:9/' });
    await post('/payments', order());
    await post('/payments', order({ beneficiary_account: 'SIM-STUCK' }));
    await mock.sandbox.clock.advance('1s');
    await post('/payments', order());
    await mock.sandbox.idle();
    const metrics = await readMetrics(served);
    expect([
      metrics.get('sandbox_payments{mode="test",status="pending"}'),
      metrics.get('sandbox_payments{mode="test",status="processing"}'),
      metrics.get('sandbox_transitions_scheduled'),
      metrics.get('sandbox_deliveries{state="retrying"}'),
      metrics.get('sandbox_attempts_scheduled'),
      metrics.get('sandbox_attempts_pending'),
      metrics.get('sandbox_requests_running'),
    ]).toEqual([1, 2, 2, 5, 5, 0, 0]);
  });

  it('gives the event loop a turn between the payments of one account', async () => {
    const { mock, post } = createStillMock();
    for (let created = 0; created < 5; created += 1) await post('/payments', order());
    const { state } = mock[PARTS] as SandboxParts;
    let turns = 0;
    const { payments } = await countItems(state, async () => void (turns += 1));
    expect([turns, payments.get('test pending')]).toEqual([1 + 5, 5]);
  });

  it('counts open and removed accounts', async () => {
    const served = await serveControl({ accounts: 'open', maxAccounts: 2, expireAccounts: '1h' });
    for (const name of ['a', 'b', 'c'])
      await createCaller(served.mock, `service_test_${name}`).post('/payments', order());
    const metrics = await readMetrics(served);
    expect([
      metrics.get('sandbox_accounts{created_by="key"}'),
      metrics.get('sandbox_accounts{created_by="control"}'),
      metrics.get('sandbox_removed_accounts_total'),
    ]).toEqual([2, 1, 1]);
  });

  it('contains the age of the last write of a data file', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'metrics-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const served = await serveControl();
    expect((await readMetrics(served)).has('sandbox_data_write_age_seconds')).toBe(false);
    await using data = await keepData(served.mock, join(folder, 'data'));
    await served.post('/payments', order());
    await data.save();
    const metrics = await readMetrics(served);
    expect(metrics.get('sandbox_data_write_age_seconds')).toBeGreaterThanOrEqual(0);
    expect(metrics.get('sandbox_data_failing')).toBe(0);
  });

  it('contains the delay of the event loop since the last reading', async () => {
    const served = await serveControl();
    await readMetrics(served);
    const lag = 'nodejs_eventloop_lag_max_seconds';
    const block = (): void => {
      const endsAt = performance.now() + 100;
      while (performance.now() < endsAt);
    };
    await expect
      .poll(async () => {
        setImmediate(block);
        return (await readMetrics(served)).get(lag) ?? 0;
      })
      .toBeGreaterThan(0.05);
  });

  it('needs the token of the control API and its Host, and contains no key', async () => {
    const { server, ask } = await serveControl({}, { control: { token: 'a-token-of-20-letters' } });
    expect((await ask('GET', '/metrics')).status).toBe(401);
    const headers = { authorization: 'Bearer a-token-of-20-letters' };
    const text = await (await fetch(`${server.url}/_sandbox/metrics`, { headers })).text();
    expect(text).toContain('sandbox_requests_total');
    expect(text).not.toMatch(/service_(?:test|live)_|acct_/);
    const open = await serveControl();
    expect((await open.ask('GET', '/metrics', { headers: { host: 'foreign.example' } })).status).toBe(403);
  });

  it('is collected with the configuration of the guide', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'prometheus-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const page = await readFile(join(import.meta.dirname, '../docs/control-api.md'), 'utf8');
    const [, block = ''] = /```yaml\n([\s\S]*?)```/.exec(page) ?? [];
    const token = join(folder, 'sandbox-token');
    await writeFile(token, 'a token');
    await writeFile(join(folder, 'prometheus.yml'), block.replace('/etc/prometheus/sandbox-token', token));
    const { status, stdout } = spawnSync('promtool', ['check', 'config', join(folder, 'prometheus.yml')], {
      encoding: 'utf8',
    });
    expect(stdout).toContain('SUCCESS');
    expect(status).toBe(0);
  });
});
