import type { TestAccounts } from '../support/judge/session.ts';

/** A service that is started as a program, to compare it with a mock that plays its probed profile. */
export interface ReferenceService {
  /** Folder of the program. */
  readonly name: string;
  readonly accounts: TestAccounts;
  /** Relative difference of rates and received amounts between two runs, if rates move. */
  readonly rateTolerance?: number;
  /**
   * Percentages of equal answers that the kit has reached: with all calls, and with those of `npm test` if it judges the
   * service, there also of equal statuses. Raise them when the probe and the mock improve.
   */
  readonly minimum: {
    readonly full: number;
    readonly short?: { readonly answers: number; readonly statuses: number };
  };
  /** Whether the service only judges the kit: nothing may be tuned to it. */
  readonly isHeldOut?: boolean;
}

export const referenceServices: readonly ReferenceService[] = [
  {
    name: 'fastify-laravel',
    accounts: { failing: 'DE450000' },
    minimum: { full: 95, short: { answers: 72, statuses: 94 } },
  },
  {
    name: 'express-drf',
    accounts: { failing: 'FAIL0001' },
    minimum: { full: 97, short: { answers: 64, statuses: 76 } },
  },
  {
    name: 'hono-lagging',
    accounts: { failing: 'GB77FAIL', unavailable: 'GB00DOWN' },
    rateTolerance: 0.01,
    minimum: { full: 93 },
  },
  {
    name: 'dotnet-style',
    accounts: {
      failing: 'NL02ABNA0123456703',
      returning: 'NL02ABNA0123456704',
      unavailable: 'NL02ABNA0123456705',
    },
    minimum: { full: 89 },
  },
];
