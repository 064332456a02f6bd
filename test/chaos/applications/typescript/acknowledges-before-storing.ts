// Mistake: acknowledges an event, and stores it afterward.
import { correct, start, store } from './application.ts';

/** The time of a slow database, in milliseconds. */
const DELAY = 300;

start({
  ...correct,
  complete(reference, acknowledge) {
    acknowledge();
    setTimeout(() => store(reference), DELAY);
  },
});
