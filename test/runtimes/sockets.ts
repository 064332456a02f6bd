import { createClient } from '@service/sdk';
import { faults, operations, paymentId, TIMEOUT } from '../wire/faults.ts';
import { assertMatch, type Case, type CaseContext, type RuntimeName } from './case.ts';

const apiKey = 'service_test_4f9c1d2e3b';

/** Runtimes that name no cause of a connection that was refused. */
const withoutCause = new Set<RuntimeName>(['deno', 'workerd', 'chromium']);

/** Faults that the `fetch` of some runtimes accepts: the payment is then returned. */
const accepted: Readonly<Record<string, readonly RuntimeName[]>> = {
  '100 Continue before the response': ['deno', 'bun', 'workerd', 'chromium'],
  '1 MB of headers': ['bun'],
};

/** Returns the request lines that the server received for a call. */
async function readLines({ origin }: CaseContext, call: string): Promise<string[]> {
  return (await (await fetch(`${origin}/lines/${call}`)).json()) as string[];
}

/** Calls of the client over real sockets, to a server with a fault. The server counts complete requests. */
export const sockets: readonly Case[] = [
  ...faults.flatMap((fault, index) =>
    (['payments.create', 'payments.retrieve'] as const).map((operation): Case => ({
      name: `${operation} over a socket with ${fault.title}`,
      async run(context) {
        const call = `${operation}-${index}`;
        const client = createClient({
          apiKey,
          baseUrl: `${context.origin}/faults/${index}/${call}/api/v1`,
          timeout: fault.isTimeout ? TIMEOUT : 30_000,
          maxRetries: 1,
          allowBrowser: true,
        });
        const result = await operations[operation]!(client).catch((error: unknown) => error);
        const isCreate = operation === 'payments.create';
        if (accepted[fault.title]?.includes(context.runtime)) {
          assertMatch([result, await readLines(context, call)], [{ id: paymentId }, [/ HTTP/]]);
          return;
        }
        const isLost = isCreate && fault.outcome === 'unknown';
        const attempts = fault.isRetried[isCreate ? 1 : 0] ? 2 : 1;
        assertMatch(result, {
          name: isLost ? 'PaymentOutcomeUnknownError' : fault.error,
          ...(isCreate && { outcome: fault.outcome }),
          attempts,
          ...(isLost && { cause: { name: fault.error } }),
        });
        const lines = await readLines(context, call);
        if (isCreate) assertMatch(lines.length, attempts, 'the number of creates');
      },
    })),
  ),
  {
    name: 'a create over a refused connection, not sent or of unknown outcome',
    async run({ runtime }) {
      const client = createClient({
        apiKey,
        baseUrl: 'http://127.0.0.1:2/api/v1',
        maxRetries: 0,
        allowBrowser: true,
      });
      const error = await operations['payments.create']!(client).catch((caught: unknown) => caught);
      assertMatch(
        error,
        withoutCause.has(runtime)
          ? { name: 'PaymentOutcomeUnknownError', outcome: 'unknown', attempts: 1 }
          : { name: 'ConnectionError', outcome: 'not_sent', attempts: 1 },
      );
    },
  },
  {
    name: 'a create over a socket, created with its exact amount',
    async run(context) {
      const client = createClient({
        apiKey,
        baseUrl: `${context.origin}/good/create/api/v1`,
        allowBrowser: true,
      });
      assertMatch(await operations['payments.create']!(client), { status: 'pending', send_amount: 100 });
      assertMatch(await readLines(context, 'create'), [/^POST .*\/payments /]);
    },
  },
  {
    name: '20 creates over kept connections, each sent once',
    async run(context) {
      const baseUrl = `${context.origin}/good/creates/api/v1`;
      const client = createClient({ apiKey, baseUrl, allowBrowser: true });
      for (let count = 0; count < 20; count++) await operations['payments.create']!(client);
      assertMatch((await readLines(context, 'creates')).length, 20);
    },
  },
];
