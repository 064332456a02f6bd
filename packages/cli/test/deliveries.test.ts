import { createReceiver } from '@service/webhooks';
import { toNode } from '@service/webhooks/node';
import { describe, expect } from 'vitest';
import { it, type MockServer, openService, startMockServer } from './support.ts';

/** Opens a mock whose webhook receiver fails until `repair` is called. */
async function openDelivering(): Promise<MockServer & { repair: () => void; payment: string }> {
  const mockServer = await startMockServer({ clock: 'manual', start: '2026-01-31T12:00:00Z' });
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
  mockServer.mock.sandbox.webhooks.setEndpoint({ url: service.env.SERVICE_BASE_URL!, secret });
  const argv = ['pay', 'USD', 'EUR', '10', '--name', 'Acme', '--json'];
  const { document } = await mockServer.run(argv);
  await mockServer.mock.sandbox.idle();
  return {
    ...mockServer,
    payment: document.id,
    repair: () => {
      isBroken = false;
    },
    [Symbol.asyncDispose]: async () => {
      await service[Symbol.asyncDispose]();
      await mockServer[Symbol.asyncDispose]();
    },
  };
}

describe('webhooks deliveries', () => {
  it('prints each delivery with its attempts and the time of the next attempt', async () => {
    await using mockServer = await openDelivering();
    const { code, lines } = await mockServer.run(['webhooks', 'deliveries']);
    expect(code).toBe(0);
    expect(lines).toEqual([
      expect.stringMatching(
        new RegExp(`^dlv_test_\\w+  payment\\.pending  retrying  ${mockServer.payment}$`),
      ),
      expect.stringMatching(
        /^ {2}2026-01-31T12:00:00\.000Z {2}refused, HTTP 500 {2}http:\/\/127\.0\.0\.1:\d+\//,
      ),
      '  2026-01-31T12:00:05.000Z  due',
    ]);
  });

  it('prints one document per line with --json, and filters by --failed, --payment, --mode and --account', async () => {
    await using mockServer = await openDelivering();
    mockServer.repair();
    await mockServer.mock.sandbox.clock.advance('1s');
    const list = async (...argv: string[]): Promise<unknown[]> => {
      const { documents } = await mockServer.run(['webhooks', 'deliveries', '--json', ...argv]);
      return documents.map(({ status }) => status);
    };
    expect(await list()).toEqual(['pending', 'processing']);
    expect(await list('--failed')).toEqual(['pending']);
    expect(await list('--payment', mockServer.payment)).toEqual(['pending', 'processing']);
    expect(await list('--payment', 'pay_test_other')).toEqual([]);
    expect(await list('--mode', 'live')).toEqual([]);
    const { id } = mockServer.mock.sandbox.accounts.create();
    expect(await list('--account', id)).toEqual([]);
  });

  it('reads all pages, also while new deliveries shift them', async ({ mockServer }) => {
    const all = Array.from({ length: 2_500 }, (_, index) => ({
      id: `dlv_test_${index}`,
      event: 'payment.pending',
      status: 'pending',
      state: 'acknowledged',
      payment_id: 'pay_test_1',
      attempts: [],
      next_at: null,
      fault: null,
    }));
    let shift = 0;
    const fetchPage = async (request: Request): Promise<Response> => {
      const { pathname, searchParams } = new URL(request.url);
      if (!pathname.endsWith('/deliveries')) return fetch(request);
      const end = all.length + shift - Number(searchParams.get('offset'));
      const deliveries = all.slice(Math.max(0, end - Number(searchParams.get('limit'))), Math.max(0, end));
      shift += 3;
      return Response.json({ deliveries, total: all.length + shift });
    };
    const { code, documents } = await mockServer.run(['webhooks', 'deliveries', '--json'], {
      fetch: fetchPage,
    });
    expect(code).toBe(0);
    expect(documents.map(({ id }) => id)).toEqual(all.map(({ id }) => id));
  });

  it.each([[{ attempts: [{ at: 0 }], next_at: null }]])(
    'exits 3 for a malformed delivery: %j',
    async (delivery) => {
      await using mockServer = await startMockServer();
      const respondMalformed = async (request: Request): Promise<Response> =>
        request.url.includes('/deliveries') ? Response.json({ deliveries: [delivery] }) : fetch(request);
      const { code, stdout, stderr } = await mockServer.run(['webhooks', 'deliveries'], {
        fetch: respondMalformed,
      });
      expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
      expect(stderr).toContain('(unreadable_answer)');
    },
  );
});

describe('webhooks resend', () => {
  const idOf = ({ mock }: MockServer): string => mock.sandbox.webhooks.deliveries()[0]!.id;

  it('exits 1 if the receiver rejects the delivery, and 0 if it acknowledges', async () => {
    await using mockServer = await openDelivering();
    const refused = await mockServer.run(['webhooks', 'resend', idOf(mockServer)]);
    expect(refused.code).toBe(1);
    expect(refused.lines[1]).toContain('refused, HTTP 500');
    mockServer.repair();
    const { code, document } = await mockServer.run(['webhooks', 'resend', idOf(mockServer), '--json']);
    expect(code).toBe(0);
    expect(document).toMatchObject({ id: idOf(mockServer), state: 'acknowledged', attempts: { length: 3 } });
  });

  it.each([
    ['dlv_test_x', 1, 'There is no delivery "dlv_test_x". (not_found, HTTP 404)'],
    ['..', 2, 'Write an id'],
  ])('explains the id %s and exits %i', async (id, expected, reason) => {
    await using mockServer = await startMockServer();
    const { code, stderr } = await mockServer.run(['webhooks', 'resend', id]);
    expect(code).toBe(expected);
    expect(stderr).toContain(reason);
  });
});
