import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { serveControl } from './control-support.ts';
import { order } from './support.ts';

describe('a wait over HTTP', () => {
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

describe('the first request to the control API', () => {
  it('loads its modules, which the start of a mock does not load', async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [
      '--conditions=@service/source',
      join(import.meta.dirname, 'fixtures/load-control.ts'),
    ]);
    const { before, after } = JSON.parse(stdout) as Record<'before' | 'after', string[]>;
    expect(before).toEqual([]);
    expect(after).toEqual(expect.arrayContaining(['handler', 'access', 'read-input']));
  });
});
