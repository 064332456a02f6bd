// Mistake: treats an unknown outcome as a failure, so that the next click pays again with another key.
import { randomUUID } from 'node:crypto';
import { correct, create, start } from './application.ts';

start({
  ...correct,
  pay: (order) => create(order, randomUUID()),
  isOpenAfter: (outcome) => outcome !== 'paid',
});
