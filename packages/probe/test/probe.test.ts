import { createMock } from '@service/mock';
import { probe, type ProbeConnection } from '@service/probe';
import { AuthenticationError, ConfigurationError } from '@service/sdk';
import { describe, expect, it } from 'vitest';
import { onRequest } from '../../../test/support/on-request.ts';
import { connectTo } from './probe-service.ts';

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
});
