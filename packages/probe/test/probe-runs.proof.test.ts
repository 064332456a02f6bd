import { createMock, type ProfileChoice } from '@service/mock';
import { type Finding, probe } from '@service/probe';
import { describe, expect, it } from 'vitest';
import { onRequest } from '../../../test/support/on-request.ts';
import { connectTo, probeService } from './probe-service.ts';

/** The number of findings: some settings have several. */
const QUESTIONS = 44;

describe('probe', () => {
  it('calls onFinding with each finding in order, and rejects with its error', async () => {
    const [connection, options] = connectTo(
      createMock({ clock: 'manual', start: '2026-01-31T12:00:00Z', seed: 42 }),
    );
    const reported: Finding[] = [];
    const onFinding = async (finding: Finding): Promise<void> => void reported.push(finding);
    const { findings } = await probe(connection, { ...options, payments: false, onFinding });
    expect(reported).toEqual(findings);
    const fail = (): never => {
      throw new Error('no disk space');
    };
    await expect(probe(connection, { ...options, onFinding: fail })).rejects.toThrow('no disk space');
  });

  it('stops the webhooks, also if it rejects', async () => {
    const [connection, options] = connectTo(
      createMock({ clock: 'manual', start: '2026-01-31T12:00:00Z', seed: 42 }),
    );
    let stops = 0;
    const webhooks = async (): Promise<() => Promise<void>> => async () => void (stops += 1);
    const onFinding = (): never => {
      throw new Error('failed');
    };
    await expect(probe(connection, { ...options, webhooks, onFinding })).rejects.toThrow('failed');
    expect(stops).toBe(1);
  });

  it('returns an incomplete result if it is aborted', async () => {
    const [connection, options] = connectTo(
      createMock({ clock: 'manual', start: '2026-01-31T12:00:00Z', seed: 42 }),
    );
    const controller = new AbortController();
    const { signal } = controller;
    const onProgress = ([subject]: readonly string[]): void => {
      if (subject === 'payments until they complete or fail') controller.abort();
    };
    const { findings, isComplete } = await probe(connection, { ...options, signal, onProgress });
    expect(isComplete).toBe(false);
    expect(new Set(findings.map(({ setting }) => setting)).size).toBe(QUESTIONS);
    expect(findings.find(({ setting }) => setting === 'numbers')).toMatchObject({ state: 'found' });
    expect(findings.find(({ setting }) => setting === 'debitAt')).toMatchObject({
      state: 'unknown',
      evidence: 'interrupted',
    });
  });

  it('shows no API key in its evidence if the service echoes it', async () => {
    const service = createMock({ clock: 'manual', start: '2026-01-31T12:00:00Z', seed: 42 });
    const [connection, options] = connectTo(service);
    const { apiKey } = connection;
    const echo = async (request: Request): Promise<Response> => {
      const response = await service.fetch(request);
      const body = (await response.json()) as object;
      return Response.json({ ...body, echo: apiKey }, { status: response.status + (response.ok ? 6 : 0) });
    };
    const result = await probe({ ...connection, fetch: onRequest(echo) }, { ...options, payments: false });
    expect(JSON.stringify(result)).not.toContain(apiKey);
  });

  it.each<[string, ProfileChoice]>([
    ['short times', {}],
    ['long lags', { readLag: { payments: '9s', balance: '9s', transactions: '9s' } }],
    [
      'payments that take a minute',
      { durations: { pending: '30s', processing: '30s' }, debitAt: 'completed' },
    ],
    ['retries that go on', { retrySchedule: ['9s', '9s', '9s', '9s', '9s', '9s'] }],
  ])(
    'takes at most 60 s with a service that responds within 20 ms, and says what it waits for: %s',
    async (_, profile) => {
      const subjects: string[] = [];
      const times: number[] = [];
      await probeService({
        profile,
        options: { webhookTimeout: 30_000, onProgress: (given) => subjects.push(...given) },
        intercept: async ({ forward, mock: { sandbox } }) => {
          await sandbox.clock.advance('20ms');
          times.push(sandbox.clock.now().getTime());
          return forward();
        },
      });
      expect((times.at(-1) ?? 0) - (times[0] ?? 0)).toBeLessThanOrEqual(60_000);
      expect(subjects).toContain('a payment to SIM-FAIL, until it fails');
    },
  );
});
