import { calls } from './calls.ts';
import { unknownOutcomes } from './unknown-outcomes.ts';
import { errors } from './errors.ts';
import { lists } from './lists.ts';
import { payments } from './payments.ts';
import { quotes } from './quotes.ts';
import type { Behavior } from './context.ts';

/** Behaviors of the client under every profile of the service. */
export const behaviors: readonly Behavior[] = [
  ...quotes,
  ...payments,
  ...unknownOutcomes,
  ...lists,
  ...errors,
  ...calls,
];
