import { describe, expect, it } from 'vitest';
import type { MockOptions } from '@service/mock';
import { createStillMock, order } from './support.ts';

type Cors = NonNullable<MockOptions['cors']>;

const page = 'https://app.example';

async function ask(
  cors: Cors | undefined,
  origin: string | undefined,
  method = 'GET',
): Promise<Record<string, string>> {
  const { send } = createStillMock(cors === undefined ? {} : { cors });
  const { headers } = await send(method, '/balance', { headers: origin === undefined ? {} : { origin } });
  return Object.fromEntries(
    [...headers].filter(([name]) => name.startsWith('access-control') || name === 'vary'),
  );
}

const readable = (origin: string): Record<string, string> => ({
  'access-control-allow-origin': origin,
  'access-control-expose-headers': 'Date, Idempotent-Replayed, Retry-After, X-Request-Id',
});

describe('the cors option', () => {
  it('is off by default', async () => {
    expect(await ask(undefined, page)).toEqual({});
    expect(await ask('off', page, 'OPTIONS')).toEqual({});
  });

  it.each<[cors: Cors, origin: string]>([
    [[page], page],
    ['loopback', 'http://localhost:5173'],
    ['loopback', 'https://127.0.0.1'],
    ['loopback', 'http://[::1]:3000'],
  ])('%j lets %s read the responses and varies the cache', async (cors, origin) => {
    expect(await ask(cors, origin)).toEqual({ ...readable(origin), vary: 'Origin' });
  });

  it.each<[cors: Cors, origin: string | undefined]>([
    [[page], 'https://other.example'],
    [[page], `${page}.evil.example`],
    [[page], undefined],
    ['loopback', page],
    ['loopback', 'http://localhost.evil.example'],
    ['loopback', 'http://127.0.0.1.evil.example'],
    ['loopback', 'null'],
    [[], page],
  ])('%j does not allow %s', async (cors, origin) => {
    expect(await ask(cors, origin)).toEqual({ vary: 'Origin' });
  });

  it('* allows every origin without naming it', async () => {
    expect(await ask('*', page)).toEqual(readable('*'));
  });

  it('allows methods and headers in a preflight response', async () => {
    expect(await ask('*', page, 'OPTIONS')).toEqual({
      ...readable('*'),
      'access-control-allow-methods': 'GET, HEAD, OPTIONS',
      'access-control-allow-headers': 'Authorization, Content-Type, Idempotency-Key, X-API-Key',
      'access-control-max-age': '600',
    });
  });

  it('lets a page read errors too', async () => {
    const { send } = createStillMock({ cors: '*' });
    const body = JSON.stringify(order({ amount: -1 }));
    const { status, headers } = await send('POST', '/payments', {
      body,
      headers: { origin: page, 'content-type': 'application/json' },
    });
    expect([status, headers.get('access-control-allow-origin')]).toEqual([422, '*']);
    const foreignMock = await send('GET', '/balance', {
      headers: { origin: page, authorization: 'Bearer nobody' },
    });
    expect([foreignMock.status, foreignMock.headers.get('access-control-allow-origin')]).toEqual([401, '*']);
  });
});
