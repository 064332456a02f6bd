// Mistake: keeps the accepted jobs in memory.
import { correct, create, start } from './application.ts';

/** The time that a job waits, in milliseconds. */
const DELAY = 150;

start({
  ...correct,
  isOpenAfter: () => false,
  pay: async (order) => {
    setTimeout(() => void create(order, order.reference), DELAY);
    return 'paid';
  },
});
