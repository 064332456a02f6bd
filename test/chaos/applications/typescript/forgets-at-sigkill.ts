// Mistake: keeps the paid references in memory.
import { randomUUID } from 'node:crypto';
import { correct, create, start } from './application.ts';

const claimed = new Set<string>();

start({
  ...correct,
  claim: (reference) => !claimed.has(reference) && claimed.add(reference).has(reference),
  async pay(order) {
    const outcome = await create(order, randomUUID());
    if (outcome === 'rejected') claimed.delete(order.reference);
    return outcome;
  },
});
