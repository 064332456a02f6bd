import { describe, expect, it } from 'vitest';
import { observeChanges } from '../src/control/changes.ts';
import { partsOf, serveControl } from './control-support.ts';
import { createStillMock, order } from './support.ts';

describe('the changes after a cursor', () => {
  it('are each changed record once, in its current form', async () => {
    const { ask, mock, post } = await serveControl();
    mock.sandbox.webhooks.collect();
    const { body: start } = await ask('GET', '/changes');
    expect(start).toMatchObject({
      isReset: true,
      hasMore: false,
      requests: [],
      payments: [],
      deliveries: [],
    });
    const ids = [];
    for (let count = 0; count < 3; count += 1) ids.push((await post('/payments', order())).body.data.id);
    mock.sandbox.payments.complete(String(ids[0]));
    await mock.sandbox.idle();
    const { body } = await ask('GET', `/changes?since=${String(start.cursor)}`);
    expect(body).toMatchObject({ isReset: false, hasMore: false, requests: [{}, {}, {}] });
    const payments = body.payments as { id: string; status: string }[];
    expect(payments.map(({ id, status }) => [id, status])).toEqual([
      [ids[1], 'pending'],
      [ids[2], 'pending'],
      [ids[0], 'completed'],
    ]);
    expect(body.deliveries).toHaveLength(5);
    const { body: none } = await ask('GET', `/changes?since=${String(body.cursor)}`);
    expect(none).toMatchObject({ isReset: false, requests: [], payments: [], deliveries: [] });
  });

  it('come in pages, oldest first, and none is left out', async () => {
    const { ask, mock } = await serveControl();
    let { cursor } = (await ask('GET', '/changes')).body;
    const created = Array.from({ length: 5 }, () => mock.sandbox.payments.create(order() as never).id);
    const read: string[] = [];
    for (let hasMore: unknown = true; hasMore === true;) {
      const { body } = await ask('GET', `/changes?since=${String(cursor)}&limit=2`);
      read.push(...(body.payments as { id: string }[]).map(({ id }) => id));
      ({ cursor, hasMore } = body);
    }
    expect(read).toEqual(created);
  });

  it('are not known with another cursor, and after a reset', async () => {
    const { ask, mock } = await serveControl();
    const read = async (since: unknown): Promise<unknown> =>
      (await ask('GET', `/changes?since=${String(since)}`)).body;
    const { cursor } = (await ask('GET', '/changes')).body;
    expect(await read(cursor)).toMatchObject({ isReset: false });
    for (const other of ['another-5', `${String(cursor)}9`, `${String(cursor).split('-')[0]}-99`, '-'])
      expect(await read(other)).toMatchObject({ isReset: true });
    mock.sandbox.reset();
    expect(await read(cursor)).toMatchObject({ isReset: true });
  });

  it('are known as far as the last records', async () => {
    const { mock, get } = createStillMock();
    const read = observeChanges(partsOf(mock), 'epoch', 3);
    const { cursor } = read(undefined, 10);
    for (let count = 0; count < 3; count += 1) await get('/balance');
    expect(read(cursor, 10)).toMatchObject({ isReset: false, requests: [{}, {}, {}] });
    await get('/balance');
    expect(read(cursor, 10)).toMatchObject({ isReset: true, requests: [] });
  });
});
