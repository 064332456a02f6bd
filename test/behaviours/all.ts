import { calls } from './calls.ts';
import { doubt } from './doubt.ts';
import { errors } from './errors.ts';
import { lists } from './lists.ts';
import { payments } from './payments.ts';
import { quotes } from './quotes.ts';
import type { Behaviour } from './world.ts';

/** Lists all that the client does, whatever the service does about what its document leaves open. */
export const behaviours: readonly Behaviour[] = [
  ...quotes,
  ...payments,
  ...doubt,
  ...lists,
  ...errors,
  ...calls,
];
