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
    name: 'node-http-links',
    accounts: { failing: 'DE00DECLINED', returning: 'DE00RETURNED' },
    minimum: { full: 90 },
  },
  {
    name: 'hono-rails',
    accounts: {
      failing: 'GB29NWBK60161300000002',
      returning: 'GB29NWBK60161300000005',
      unavailable: 'GB29NWBK60161300000009',
    },
    minimum: { full: 98 },
  },
  {
    name: 'nest-style',
    accounts: {
      failing: 'FR7630006000011234567890189',
      returning: 'FR7630006000011234567890286',
      unavailable: 'FR7630006000011234567890383',
    },
    minimum: { full: 94 },
  },
  {
    name: 'koa-json-api',
    accounts: {
      failing: 'IE64TEST99990000000051',
      returning: 'IE64TEST99990000000061',
      unavailable: 'IE64TEST99990000000090',
    },
    rateTolerance: 0.01,
    minimum: { full: 96 },
  },
  {
    name: 'spring-like',
    accounts: {
      failing: 'LU360029152460050000',
      returning: 'LU870029152460060000',
      unavailable: 'LU040029152460090000',
    },
    minimum: { full: 83 },
  },
  {
    name: 'go-ledger',
    accounts: { failing: 'TESTCLOSED01', returning: 'TESTRETURN01', unavailable: 'TESTOUTAGE01' },
    minimum: { full: 84 },
  },
  {
    name: 'python-fastapi-style',
    accounts: { failing: '000111111116', returning: '000111111113', unavailable: '000111111119' },
    minimum: { full: 95 },
    isHeldOut: true,
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
