import { expect, it } from 'vitest';
import { createPayer, type IntentStore } from '../../src/entries/payer.ts';
import { createStubClient, payment, paymentInput, success } from '../service.ts';

/** Tests four workers, each with its own client and payer over one store, that pay the same references at the same time. */
export function describeRace(open: () => IntentStore | Promise<IntentStore>): void {
  it('lets 4 workers pay 50 references once each, and rejects the other calls', async () => {
    const store = await open();
    const made: string[] = [];
    const respond = (request: Request): Response => {
      if (request.method === 'GET') return success({ ...payment, id: request.url.split('/').at(-1) });
      const id = `pay_test_${made.length}`;
      made.push(id);
      return success({ ...payment, id }, 201);
    };
    const workers = Array.from({ length: 4 }, () =>
      createPayer(createStubClient([respond]).client, { store }),
    );
    const references = Array.from({ length: 50 }, (_, index) => `ref-${index}`);
    const results = await Promise.allSettled(
      references.flatMap((reference) =>
        workers.map(async (payer) => {
          const { id } = await payer.pay(reference, paymentInput);
          return { reference, id };
        }),
      ),
    );
    expect(made).toHaveLength(50);
    const losers = results.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []));
    for (const loser of losers) {
      expect(loser).toMatchObject({ name: 'IdempotencyError', outcome: 'not_sent', attempts: 0 });
      expect(String(loser)).toContain('another worker');
    }
    const winners = results.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    expect(new Set(winners.map(({ reference, id }) => `${reference} ${id}`)).size).toBe(50);
  });
}
