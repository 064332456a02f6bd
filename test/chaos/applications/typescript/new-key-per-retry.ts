// Mistake: repeats a create whose outcome is unknown, with a new idempotency key.
import { randomUUID } from 'node:crypto';
import { correct, create, start } from './application.ts';

start({
  ...correct,
  async pay(order) {
    const outcome = await create(order, randomUUID());
    return outcome === 'unknown' ? create(order, randomUUID()) : outcome;
  },
});
