import { describe, expect, it } from 'vitest';
import { serveControl } from './control-support.ts';
import { order } from './support.ts';

describe('a wait over HTTP', () => {
  it('for requests does not block other requests, and ends with the last match', async () => {
    const { ask, post } = await serveControl();
    const waiting = ask('GET', '/requests/wait?operation=createPayment&count=2&timeout=1m');
    await post('/payments', order());
    expect((await ask('GET', '/requests')).body.requests).toHaveLength(1);
    await post('/payments', order());
    const { status, body } = await waiting;
    expect(status).toBe(200);
    expect(body.requests).toMatchObject([{ response: { status: 201 } }, { response: { status: 201 } }]);
    expect(await ask('GET', '/requests/wait?count=3&timeout=1ms')).toMatchObject({
      status: 408,
      body: { error: { code: 'timeout' } },
    });
  });

  it('for clock.advance does not block other requests, and ends with the deliveries', async () => {
    const { promise: received, resolve: answer } = Promise.withResolvers<Response>();
    const { promise: asked, resolve: arrive } = Promise.withResolvers<void>();
    const { ask, post } = await serveControl({
      fetch: () => {
        arrive();
        return received;
      },
    });
    await ask('PUT', '/webhooks/endpoint', { body: { url: 'http://localhost:9/' } });
    await post('/payments', order({ beneficiary_account: 'SIM-PENDING' }));
    let isOver = false;
    const waits = [ask('POST', '/clock/advance', { body: { duration: '1s' } }), ask('POST', '/idle')].map(
      (wait) =>
        wait.then(({ status }) => {
          isOver = true;
          return status;
        }),
    );
    await asked;
    expect((await ask('GET', '/webhooks/deliveries')).body.deliveries).toMatchObject([{ state: 'queued' }]);
    expect(isOver).toBe(false);
    answer(new Response());
    expect(await Promise.all(waits)).toEqual([200, 204]);
  });
});
