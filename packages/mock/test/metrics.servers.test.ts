import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { type ControlledMock, serveControl } from './control-support.ts';

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
});
