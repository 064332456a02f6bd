import { createMock } from '@service/mock';
import { createClient } from '@service/sdk';
import { assertMatch, type Case } from './case.ts';
import { order } from './creates.ts';

/** A mock and a receiver on sockets of the runtime. */
export const servers: readonly Case[] = [
  {
    name: 'a mock on a socket, with webhooks to a receiver of node:http',
    async run() {
      const [{ listen }, { createServer }, { createReceiver }, { toNode }] = await Promise.all([
        import('@service/mock/node'),
        import('node:http'),
        import('@service/webhooks'),
        import('@service/webhooks/node'),
      ]);
      const mock = createMock({ clock: 'manual' });
      const server = await listen(mock, { port: 0 });
      const secret = 'the secret of this case';
      const received: string[] = [];
      const fallback = ({ event }: { event: string }): void => void received.push(event);
      const handle = toNode(createReceiver({ secrets: secret, on: {}, fallback }));
      const receiver = createServer((request, response) => void handle(request, response));
      await new Promise<void>((resolve) => void receiver.listen(0, '127.0.0.1', resolve));
      const { port } = receiver.address() as { port: number };
      mock.sandbox.webhooks.setEndpoint({ url: `http://127.0.0.1:${port}/`, secret });
      const client = createClient({ apiKey: mock.account.testKey, baseUrl: server.baseUrl });
      const { id } = await client.payments.create(order);
      await mock.sandbox.clock.advance('1h');
      assertMatch(await client.payments.retrieve(id), { status: 'completed' });
      assertMatch(received, ['payment.pending', 'payment.processing', 'payment.completed']);
      const health = await fetch(new URL('/_sandbox/health', server.baseUrl));
      assertMatch(await health.json(), { status: 'ok' });
      assertMatch((await fetch(`${server.baseUrl}/payments/a%20b?x[]`)).status, 401);
      await server.close();
      receiver.close();
      await mock.close();
    },
  },
];
