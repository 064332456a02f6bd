import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type Acknowledged,
  openVolatile,
  runUntilCut,
  runUntilKilled,
} from '../../../test/support/durability.ts';
import { createRandom } from '../../../test/support/random.ts';
import { runs } from '../../../test/support/runs.ts';
import { createError, VolatileFiles } from '../../../test/support/volatile-files.ts';
import { createCaller, order } from './support.ts';

const none = { lost: 0, reused: 0 };

describe('acknowledged payments in a data file', () => {
  it('survive an end of the process at each step, also of a compaction', async () => {
    const { steps } = await runUntilCut({ step: Infinity, end: (files) => files.kill() });
    for (let step = 1; step <= steps; step += 1)
      expect(await runUntilCut({ step, end: (files) => files.kill() })).toMatchObject(none);
  });

  it('survive a power failure at each step, also of a compaction', async () => {
    const { steps } = await runUntilCut({ step: Infinity, end: (files) => files.cutPower() });
    const random = createRandom(5);
    for (let step = 1; step <= steps; step += 1) {
      expect(await runUntilCut({ step, end: (files) => files.cutPower() })).toMatchObject(none);
      expect(await runUntilCut({ step, end: (files) => files.cutPower(random) })).toMatchObject(none);
    }
  });

  describe('of a killed process', () => {
    let folder = '';
    beforeEach(async () => {
      folder = await mkdtemp(join(tmpdir(), 'durability-'));
    });
    afterEach(() => rm(folder, { recursive: true }));

    it('survive', { timeout: 120_000 }, async () => {
      const acknowledged: Acknowledged = new Map();
      for (let round = 1; round <= runs(3); round += 1)
        expect(await runUntilKilled(join(folder, 'data'), acknowledged, round * 20)).toEqual(none);
    });
  });
});

describe('a mock with a data file', () => {
  it('sends responses and webhooks only after their changes are durable', async () => {
    const files = new VolatileFiles();
    const { mock } = await openVolatile(files);
    const events: string[] = [];
    files.onStep = ({ operation }) => void events.push(operation);
    mock.sandbox.webhooks.collect({
      receive: () => {
        events.push('webhook');
        return Promise.resolve(new Response());
      },
    });
    const { post } = createCaller(mock);
    for (const beneficiary_account of ['SIM-OK', 'SIM-HOOK-FIRST']) {
      events.length = 0;
      await post('/payments', order({ beneficiary_account }));
      events.push('response');
      await expect.poll(() => events).toContain('webhook');
      const [sync, webhook, response] = ['sync', 'webhook', 'response'].map((each) => events.indexOf(each));
      expect(sync).toBeGreaterThanOrEqual(0);
      expect(Math.min(webhook!, response!)).toBeGreaterThan(sync!);
    }
    await mock.close();
  });

  it('responds 503 to creates and says so until its data can be written again', async () => {
    const files = new VolatileFiles();
    const { mock, data } = await openVolatile(files);
    const received: string[] = [];
    mock.sandbox.webhooks.collect({
      receive: async (request) => {
        received.push(((await request.json()) as { data: { id: string } }).data.id);
        return new Response();
      },
    });
    await data.save();
    const { post, get } = createCaller(mock);
    files.onStep = () => {
      throw createError('ENOSPC');
    };
    for (let attempt = 1; attempt <= 2; attempt += 1) {
      const { status, headers, body } = await post('/payments', order());
      expect([status, headers.get('retry-after'), body.error]).toEqual([
        503,
        '1',
        { type: 'service_unavailable', message: 'The sandbox cannot store payments at present.' },
      ]);
    }
    expect((await get('/balance')).status).toBe(200);
    await expect(data.save()).rejects.toThrow('The data file cannot be written: the disk is full.');
    expect(received).toEqual([]);
    files.onStep = undefined;
    await data.save();
    const created = await post('/payments', order());
    expect(created.status).toBe(201);
    await expect.poll(() => received).toHaveLength(2);
    const again = await openVolatile(files.cutPower());
    // The create whose write failed has an unknown outcome: its payment exists after all.
    expect(again.mock.sandbox.snapshot().state.accounts[0]?.modes.test.payments).toHaveLength(2);
    expect(received).toContain(created.body.data.id);
    await mock.close();
  });
});
