import { createMock } from '@service/mock';
import { extendProfile, type Exchange, learnProfile, recordTraffic } from '@service/probe/node';
import { describe, expect, it } from 'vitest';
import { openService, order, styles, waitUntilVisible } from './support.ts';

interface Answer {
  readonly status: number;
  readonly shape: unknown;
}

type Send = (method: string, path: string, body?: object) => Promise<Answer>;

/** Replaces values by their types, so that answers of different payments can be compared. */
function toShape(json: unknown): unknown {
  if (Array.isArray(json)) return json.slice(0, 1).map(toShape);
  if (typeof json !== 'object' || json === null) return json === null ? null : typeof json;
  return Object.fromEntries(Object.entries(json).map(([name, value]) => [name, toShape(value)]));
}

function createSend(baseUrl: string, key: string, fetch: (request: Request) => Promise<Response>): Send {
  return async (method, path, body) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
    const response = await fetch(new Request(baseUrl + path, init));
    return { status: response.status, shape: toShape(await response.json()) };
  };
}

/** The calls whose answers a mock with the learned profile must give too. */
async function compareCalls(send: Send): Promise<Answer[]> {
  return [
    await send('POST', '/quotes', { from_currency: 'USD', to_currency: 'EUR', amount: 40 }),
    await send('GET', '/payments/pay_test_unknown000000000000'),
    await send('GET', '/no-such-path'),
    await send('POST', '/payments', { ...order, amount: 99_000_000 }),
  ];
}

describe.each(styles)('the recorder in front of a Fastify service with lists in %s style', (listStyle) => {
  it('learns a profile with which a mock answers as the service', async () => {
    const { env, service } = await openService({ listStyle });
    const exchanges: Exchange[] = [];
    const recorder = await recordTraffic({
      to: new URL(env.SERVICE_BASE_URL!),
      onExchange: (exchange) => exchanges.push(exchange),
    });
    const send = createSend(recorder.baseUrl.href, env.SERVICE_API_KEY!, fetch);
    try {
      for (const amount of [40, 70, 90]) await send('POST', '/payments', { ...order, amount });
      await waitUntilVisible(service);
      await send('GET', '/transactions?per_page=50');
      await send('GET', '/balance');
      await send('POST', '/quotes', { from_currency: 'USD', to_currency: 'EUR', amount: 70 });
      await compareCalls(send);
    } finally {
      await recorder.close();
    }
    expect(JSON.stringify(exchanges)).not.toContain(order.beneficiary_name);
    const { profile, contradictions } = extendProfile({}, learnProfile(exchanges));
    expect(contradictions).toEqual([]);
    const mock = createMock({ profile });
    const played = await compareCalls(createSend(mock.baseUrl, mock.account.testKey, mock.fetch));
    const direct = createSend(env.SERVICE_BASE_URL!, env.SERVICE_API_KEY!, fetch);
    expect(played).toEqual(await compareCalls(direct));
  });
});
