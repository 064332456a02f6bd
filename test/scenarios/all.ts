import { access } from './access.ts';
import { doubleSubmit } from './double-submit.ts';
import { history } from './history.ts';
import { payments } from './payments.ts';
import { quotes } from './quotes.ts';
import type { Scenario } from './scenario.ts';
import { origins, redirects, transport } from './transport.ts';

export const scenarios: Scenario[] = [
  ...quotes,
  ...payments,
  ...doubleSubmit,
  ...access,
  ...transport,
  redirects,
  ...origins,
  ...history,
];
