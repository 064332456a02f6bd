import type { ProfileChoice } from '@service/mock';
import { createMock, type Mock } from '@service/mock';
import { type Finding, probe, type ProbeConnection, type ProbeOptions } from '@service/probe';
import { AuthenticationError, ConfigurationError } from '@service/sdk';
import { probeService } from './probe-service.ts';
import { describe, expect, it } from 'vitest';
import { onRequest } from '../../../test/support/on-request.ts';

/** Returns the connection to a mock, and its clock, which advances only when the probe waits. */
function connectTo({ account, baseUrl, fetch, sandbox }: Mock): [ProbeConnection, ProbeOptions] {
  const clock: ProbeOptions['clock'] = {
    now: () => sandbox.clock.now().getTime(),
    sleep: (milliseconds) => sandbox.clock.advance(`${Math.ceil(milliseconds)}ms`),
  };
  return [{ apiKey: account.testKey, baseUrl, fetch }, { clock }];
}

/** Returns the connection to a service that must not get a request. */
function connectToNothing(apiKey = 'service_test_1'): { connection: ProbeConnection; requests: string[] } {
  const requests: string[] = [];
  const fetch = async (request: Request): Promise<Response> => {
    requests.push(request.url);
    return new Response();
  };
  return {
    connection: { apiKey, baseUrl: 'http://localhost:4010/api/v1', fetch: onRequest(fetch) },
    requests,
  };
}

/** The number of findings: some settings have several. */
const QUESTIONS = 44;

describe('probe', () => {
  it('returns a profile with which a mock behaves like the service', async () => {
    const service = createMock({
      clock: 'manual',
      start: '2026-01-31T12:00:00Z',
      seed: 42,
      profile: { numbers: 'string', successStatus: { createQuote: 201 } },
    });
    const [connection, options] = connectTo(service);
    const { findings, profile, isComplete } = await probe(connection, options);
    expect(profile).toMatchObject({
      numbers: 'string',
      successStatus: { createQuote: 201, createPayment: 201 },
    });
    expect(Object.keys(profile)).toEqual(
      findings.filter((finding) => 'value' in finding).map(({ setting }) => setting),
    );
    expect(isComplete).toBe(true);
    expect(createMock({ profile }).sandbox.profile.get()).toMatchObject({
      numbers: 'string',
      successStatus: { createQuote: 201, createPayment: 201 },
    });
  });

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

  it('rejects with the error of the client for a wrong key', async () => {
    const [connection] = connectTo(createMock({ clock: 'manual', start: '2026-01-31T12:00:00Z', seed: 42 }));
    const error: unknown = await probe({ ...connection, apiKey: 'service_test_wrong' }).catch((one) => one);
    expect(error instanceof AuthenticationError).toBe(true);
  });

  it('rejects a live key before the first request', async () => {
    const { connection, requests } = connectToNothing('service_live_1');
    const baseUrl = 'https://service.example/api/v1';
    const error: unknown = await probe({ ...connection, baseUrl }).catch((one) => one);
    expect(error instanceof ConfigurationError).toBe(true);
    expect((error as Error).message).toBe(
      'apiKey must be a test key (service_test_…), because the probe creates payments.',
    );
    expect(requests).toEqual([]);
  });

  it('rejects plain http to another machine before the first request', async () => {
    const { connection, requests } = connectToNothing();
    const baseUrl = 'http://service.example/api/v1';
    await expect(probe({ ...connection, baseUrl })).rejects.toThrow('allowInsecureHttp');
    expect(requests).toEqual([]);
  });

  it.each<[object, string]>([
    [{ apiKey: undefined }, 'apiKey must be a test key'],
    [{ baseUrl: undefined }, 'baseUrl must be the address of the service as text.'],
    [{ allowInsecureHtp: true }, '"allowInsecureHtp" is unknown. Use one of: '],
  ])('rejects a connection with %j before the first request', async (change, message) => {
    const { connection, requests } = connectToNothing();
    const error: unknown = await probe({ ...connection, ...change }).catch((one) => one);
    expect(error instanceof ConfigurationError).toBe(true);
    expect((error as Error).message).toContain(message);
    expect(requests).toEqual([]);
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

  it.each<[object, string]>([
    [{ webhookTimout: 1 }, '"webhookTimout" is unknown. Use one of: '],
    [{ amount: '0.00' }, "amount must be an amount above 0 with at most 2 decimals, such as '10.00'."],
    [{ clock: {} }, 'clock must be an object with the functions now and sleep.'],
  ])('rejects the options %j before the first request', async (options, message) => {
    const { connection, requests } = connectToNothing();
    const error: unknown = await probe(connection, options).catch((one) => one);
    expect(error instanceof ConfigurationError).toBe(true);
    expect((error as Error).message).toContain(message);
    expect(requests).toEqual([]);
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
