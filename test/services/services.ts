import type { TestAccounts } from '../support/judge/session.ts';

/** A service that is started as a program, to compare it with a mock that plays its probed profile. */
export interface ReferenceService {
  /** Folder of the program. */
  readonly name: string;
  readonly accounts: TestAccounts;
  /** Relative difference of rates and received amounts between two runs, if rates move. */
  readonly rateTolerance?: number;
  /**
   * Percentages of equal answers that the kit has reached: with all calls, and with those that do not wait, after a probe
   * without payments, if tests judge the service so. Raise them when the probe and the mock improve.
   */
  readonly minimum: { readonly full: number; readonly short?: number };
}

export const referenceServices: readonly ReferenceService[] = [
  {
    name: 'fastify-laravel',
    accounts: { failing: 'DE450000' },
    minimum: { full: 98, short: 77 },
  },
  {
    name: 'express-drf',
    accounts: { failing: 'FAIL0001' },
    minimum: { full: 98, short: 70 },
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
    minimum: { full: 90, short: 63 },
  },
];
