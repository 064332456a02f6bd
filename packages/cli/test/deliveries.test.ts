import { createReceiver } from '@service/webhooks';
import { toNode } from '@service/webhooks/node';
import { describe, expect, it } from 'vitest';
import { openService, openWorld, runCli, type World } from './support.ts';

/** A world whose events go to a receiver that fails until it is told not to. */
async function openDelivering(): Promise<World & { repair: () => void; payment: string }> {
  const world = await openWorld({ clock: 'manual' });
  let isBroken = true;
  const secret = 'a secret for now';
  const receive = createReceiver({
    secrets: secret,
    mode: 'test',
    on: {},
    fallback: () => {
      if (isBroken) throw new Error('broken');
    },
    onError: () => {},
  });
  const listener = toNode(receive);
  const service = await openService((...exchange) => void listener(...exchange));
  world.mock.sandbox.webhooks.setEndpoint({ url: service.env.SERVICE_BASE_URL!, secret });
  const argv = ['pay', 'USD', 'EUR', '10', '--name', 'Acme', '--json'];
  const { document } = await runCli(argv, { env: world.env });
  await world.mock.sandbox.idle();
  return {
    ...world,
    payment: document.id,
    repair: () => {
      isBroken = false;
    },
    [Symbol.asyncDispose]: async () => {
      await service[Symbol.asyncDispose]();
      await world[Symbol.asyncDispose]();
    },
  };
}

describe('webhooks deliveries', () => {
  it('shows each delivery with its attempts and when the next is due', async () => {
    await using world = await openDelivering();
    const { code, lines } = await runCli(['webhooks', 'deliveries'], { env: world.env });
    expect(code).toBe(0);
    expect(lines).toEqual([
      expect.stringMatching(new RegExp(`^dlv_test_\\w+  payment\\.pending  retrying  ${world.payment}$`)),
      expect.stringMatching(
        /^ {2}2026-01-31T12:00:00\.000Z {2}refused, HTTP 500 {2}http:\/\/127\.0\.0\.1:\d+\//,
      ),
      '  2026-01-31T12:00:05.000Z  due',
    ]);
  });

  it('writes one a line with --json, and keeps those that are asked for', async () => {
    await using world = await openDelivering();
    world.repair();
    await world.mock.sandbox.clock.advance('1s');
    const list = async (...argv: string[]): Promise<unknown[]> => {
      const { documents } = await runCli(['webhooks', 'deliveries', '--json', ...argv], { env: world.env });
      return documents.map(({ status }) => status);
    };
    expect(await list()).toEqual(['pending', 'processing']);
    expect(await list('--failed')).toEqual(['pending']);
    expect(await list('--payment', world.payment)).toEqual(['pending', 'processing']);
    expect(await list('--payment', 'pay_test_other')).toEqual([]);
    expect(await list('--mode', 'live')).toEqual([]);
    const { id } = world.mock.sandbox.accounts.create();
    expect(await list('--account', id)).toEqual([]);
  });

  it.each([
    [null],
    [{ attempts: [], next_at: 'soon' }],
    [{ attempts: [{ at: 9e15, result: {} }], next_at: null }],
    [{ attempts: [{ at: 0 }], next_at: null }],
  ])('exits 3 for a delivery that is none: %j', async (delivery) => {
    await using world = await openWorld();
    const junk = async (request: Request): Promise<Response> =>
      request.url.includes('/deliveries') ? Response.json({ deliveries: [delivery] }) : fetch(request);
    const { code, stdout, stderr } = await runCli(['webhooks', 'deliveries'], {
      env: world.env,
      fetch: junk,
    });
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
    expect(stderr).toContain('(unreadable_answer)');
  });

  it('says that there is none', async () => {
    await using world = await openWorld();
    const { code, stdout, stderr } = await runCli(['webhooks', 'deliveries'], { env: world.env });
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: '', stderr: 'There is no such delivery.\n' });
  });
});

describe('webhooks resend', () => {
  const idOf = ({ mock }: World): string => mock.sandbox.webhooks.deliveries()[0]!.id;

  it('exits 1 with the answer when the receiver refuses, and 0 when it acknowledges', async () => {
    await using world = await openDelivering();
    const refused = await runCli(['webhooks', 'resend', idOf(world)], { env: world.env });
    expect(refused.code).toBe(1);
    expect(refused.lines[1]).toContain('refused, HTTP 500');
    world.repair();
    const { code, document } = await runCli(['webhooks', 'resend', idOf(world), '--json'], {
      env: world.env,
    });
    expect(code).toBe(0);
    expect(document).toMatchObject({ id: idOf(world), state: 'acknowledged', attempts: { length: 3 } });
  });

  it('exits 1 when nobody receives', async () => {
    await using world = await openDelivering();
    world.mock.sandbox.webhooks.setEndpoint({ url: 'http://127.0.0.1:1/' });
    const { code, lines } = await runCli(['webhooks', 'resend', idOf(world)], { env: world.env });
    expect(code).toBe(1);
    expect(lines[1]).toContain('failed, network  http://127.0.0.1:1/');
  });

  it.each([
    ['dlv_test_x', 1, 'There is no delivery "dlv_test_x". (not_found, HTTP 404)'],
    ['..', 2, 'It must be an id'],
  ])('tells of the id %s with exit %i', async (id, expected, why) => {
    await using world = await openWorld();
    const { code, stderr } = await runCli(['webhooks', 'resend', id], { env: world.env });
    expect(code).toBe(expected);
    expect(stderr).toContain(why);
  });
});
