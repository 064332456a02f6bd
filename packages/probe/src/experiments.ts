import type { Experiment } from './context.ts';
import { access } from './experiments/access.ts';
import { balanceShape } from './experiments/balance-shape.ts';
import { beside } from './experiments/beside.ts';
import { eventShapes } from './experiments/event-shapes.ts';
import { fees } from './experiments/fees.ts';
import { history } from './experiments/history.ts';
import { leniency, texts } from './experiments/leniency.ts';
import { rateTiers } from './experiments/rate-tiers.ts';
import { rateLimit } from './experiments/limits.ts';
import { market, rates, wallets } from './experiments/market.ts';
import { paymentShapes } from './experiments/payment-shapes.ts';
import { payments } from './experiments/payments.ts';
import { refusalRequests } from './experiments/refusal-requests.ts';
import { refusalShapes } from './experiments/refusals.ts';
import { requests } from './experiments/requests.ts';
import { retries } from './experiments/retries.ts';
import { rounding } from './experiments/rounding.ts';
import { shapes } from './experiments/shapes.ts';
import { events } from './experiments/webhooks.ts';

/** Experiments that run one after the other, at the same time as those of the other tracks of their stage. */
export type Track = readonly Experiment[];

/** The stages of a run. Each one starts after the end of the previous one. */
export const stages: readonly (readonly Track[])[] = [
  [[...access, ...wallets]],
  [
    [...requests, ...leniency, ...rounding],
    // The fees of other currencies follow from the quotes for their rates.
    [...market, ...fees, ...rateTiers],
    // First to use the wallet: the retries of its webhooks take the longest time.
    retries,
    // The history is after the payments that fill it.
    [...payments, ...balanceShape, ...shapes, ...texts, ...history, ...paymentShapes, ...beside],
  ],
  // After the payments, whose reserved amounts the balance does not show.
  [[...rates, ...events, ...eventShapes], refusalRequests],
  // The response to an exceeded rate limit is a refusal too.
  [[...rateLimit, ...refusalShapes]],
];

/** All experiments in the order of their findings. */
export const experiments: readonly Experiment[] = [
  ...access,
  ...wallets,
  ...requests,
  ...leniency,
  ...fees,
  ...rounding,
  ...market,
  ...rateTiers,
  ...retries,
  ...payments,
  ...balanceShape,
  ...shapes,
  ...texts,
  ...history,
  ...paymentShapes,
  ...beside,
  ...rates,
  ...events,
  ...eventShapes,
  ...rateLimit,
  ...refusalRequests,
  ...refusalShapes,
];
