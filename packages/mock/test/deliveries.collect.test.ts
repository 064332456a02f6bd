import { describe, expect, it } from 'vitest';
import { createReceiver, createVerifier, isValidSignature } from '@service/webhooks';
import { names } from './receiver.ts';
import { createStillMock, order } from './support.ts';

const testAccount = order({ beneficiary_account: 'SIM-PENDING' });

describe('webhooks.collect', () => {
  it('collects every event, signed, without a network request', async () => {
    const requests: Request[] = [];
    const { mock, post } = createStillMock({
      fetch: async (request) => {
        requests.push(request);
        return new Response();
      },
    });
    const { secret } = mock.sandbox.webhooks.collect();
    const { id } = (await post('/payments', order())).body.data;
    await mock.sandbox.clock.advance('4s');
    const collected = mock.sandbox.webhooks.collected();
    expect(names(collected)).toEqual(['payment.pending', 'payment.processing', 'payment.completed']);
    const verifier = createVerifier({ secrets: secret, mode: 'test' });
    const data = collected.map(({ body, headers }) => verifier.verify(body, headers).data);
    expect(data).toMatchObject([{ status: 'pending' }, { status: 'processing' }, { status: 'completed' }]);
    expect(collected.map(({ payment_id }) => payment_id)).toEqual([id, id, id]);
    expect(requests).toEqual([]);
  });

  it('passes each event to its receiver and uses the status of the response', async () => {
    const { mock, post } = createStillMock();
    const secret = 'a secret of mine';
    const answers = [500, 200];
    const handled: string[] = [];
    const verified = createReceiver({
      secrets: secret,
      on: {},
      fallback: ({ event }) => void handled.push(event),
    });
    mock.sandbox.webhooks.collect({
      secret,
      receive: async (request) => {
        const status = answers.shift() ?? 200;
        return status === 200 ? verified(request) : new Response(null, { status });
      },
    });
    await post('/payments', testAccount);
    await mock.sandbox.idle();
    expect(mock.sandbox.webhooks.deliveries()).toMatchObject([{ state: 'retrying' }]);
    await mock.sandbox.clock.advance('5s');
    expect(mock.sandbox.webhooks.deliveries()).toMatchObject([{ state: 'acknowledged' }]);
    expect(mock.sandbox.webhooks.collected()).toHaveLength(2);
    expect(handled).toEqual(['payment.pending']);
  });

  it('starts empty, signs with a new secret, and ends with removeEndpoint', async () => {
    const { mock, post } = createStillMock();
    const { webhooks } = mock.sandbox;
    const { secret: first } = webhooks.collect();
    await post('/payments', testAccount);
    await mock.sandbox.idle();
    expect(webhooks.collected()).toHaveLength(1);
    const { secret } = webhooks.collect();
    await post('/payments', testAccount);
    await mock.sandbox.idle();
    const [event, ...others] = webhooks.collected();
    const signature = event?.headers['X-Service-Signature'] ?? '';
    expect([first, secret].map((each) => isValidSignature(event?.body ?? '', signature, each))).toEqual([
      false,
      true,
    ]);
    expect(others).toEqual([]);
    webhooks.removeEndpoint();
    await post('/payments', testAccount);
    await mock.sandbox.idle();
    expect(webhooks.collected()).toHaveLength(1);
  });
});

describe('a signing secret', () => {
  it('can be given, and is not shown again', async () => {
    const { mock, post } = createStillMock({ fetch: async () => new Response(null, { status: 500 }) });
    const { webhooks } = mock.sandbox;
    const given = 'a secret of mine';
    expect(webhooks.setEndpoint({ url: 'http://localhost:9/', secret: given })).toEqual({ secret: given });
    await post('/payments', testAccount);
    await mock.sandbox.idle();
    const { secret } = webhooks.collect();
    await mock.sandbox.clock.advance('5s');
    const shown = JSON.stringify([webhooks.deliveries(), webhooks.collected()]);
    expect([shown.includes(given), shown.includes(secret)]).toEqual([false, false]);
    expect(shown).toContain('acknowledged');
  });
});

describe('webhooks.endpoint', () => {
  it('returns the URL without the secret', () => {
    const { webhooks } = createStillMock().mock.sandbox;
    expect(webhooks.endpoint()).toBeNull();
    webhooks.setEndpoint({ url: 'http://LOCALHOST:9/hooks' });
    expect(webhooks.endpoint()).toEqual({ url: 'http://localhost:9/hooks' });
    expect(webhooks.endpoint({ mode: 'live' })).toBeNull();
    webhooks.collect();
    expect(webhooks.endpoint()).toEqual({ url: 'collect:' });
  });
});
