import type { ProfileChoice } from '@service/mock';
import type { Finding } from '@service/probe';
import type { TestAccounts } from '../support/judge/session.ts';

/** A service that is started as a program, to compare it with a mock that plays its probed profile. */
export interface ReferenceService {
  /** Folder of the program. */
  readonly name: string;
  readonly accounts: TestAccounts;
  /** Relative difference of rates and received amounts between two runs, if rates move. */
  readonly rateTolerance?: number;
  /** What the source of the service does. No finding may differ from it; null for what no value describes. */
  readonly truth: { readonly [Name in keyof ProfileChoice]?: ProfileChoice[Name] | null };
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
    truth: {
      createStatus: 201,
      quoteStatus: 200,
      numbers: 'number',
      absent: 'null',
      paths: 'strict',
      bothKeys: 'bearer',
      foreignPayment: 'not_found',
      unknownPath: 'public',
      mediaTypes: null,
      feeMode: 'inside',
      fees: [{ percent: '1', minimum: '1.00', maximum: '50.00' }],
      rounding: 'half_up',
      sameCurrency: 'allow',
      currencyCase: 'strict',
      excessPrecision: 'reject',
      amountText: 'accept',
      debitAt: 'create',
      refund: 'full',
      readLag: {},
      transitions: 'walk',
      unknownStatus: 'none',
      idempotency: 'replayed',
      replayStatus: 'created',
      textLimit: 255,
      emptyText: 'absent',
      ack: '2xx',
      minorUnits: 'two',
      badPage: 'reject',
      pastEnd: 'empty',
      unknownFilter: 'reject',
      redelivery: 'same',
      events: ['processing', 'completed', 'failed'],
    },
    minimum: { full: 96, short: 77 },
  },
  {
    name: 'express-drf',
    accounts: { failing: 'FAIL0001' },
    truth: {
      createStatus: 200,
      quoteStatus: 200,
      numbers: 'number',
      absent: 'omit',
      paths: 'lenient',
      bothKeys: 'either',
      foreignPayment: 'permission_error',
      unknownPath: 'public',
      mediaTypes: null,
      feeMode: 'onTop',
      fees: [{ percent: '0.5', flat: '2.00' }],
      rounding: 'half_even',
      sameCurrency: 'reject',
      currencyCase: 'normalise',
      excessPrecision: 'round',
      amountText: 'accept',
      debitAt: 'completed',
      hold: 'none',
      readLag: {},
      transitions: 'walk',
      unknownStatus: 'none',
      idempotency: 'ignored',
      textLimit: 140,
      emptyText: 'keep',
      ack: 200,
      redelivery: 'same',
      badPage: 'default',
      pastEnd: 'not_found',
      unknownFilter: 'empty',
      currencies: ['EUR', 'GBP', 'NGN', 'USD'],
      events: ['pending', 'processing', 'completed', 'failed'],
    },
    minimum: { full: 98, short: 70 },
  },
  {
    name: 'hono-lagging',
    accounts: { failing: 'GB77FAIL', unavailable: 'GB00DOWN' },
    rateTolerance: 0.01,
    truth: {
      createStatus: 201,
      quoteStatus: 200,
      numbers: 'number',
      absent: 'null',
      paths: 'strict',
      bothKeys: 'apiKey',
      foreignPayment: 'not_found',
      unknownPath: 'authenticated',
      mediaTypes: 'any',
      feeMode: 'none',
      fees: null,
      rounding: 'down',
      malformedBody: 400,
      sameCurrency: 'allow',
      currencyCase: 'strict',
      excessPrecision: 'reject',
      amountText: 'reject',
      debitAt: 'create',
      transitions: 'walk',
      unknownStatus: 'none',
      redelivery: 'same',
      ack: 200,
      idempotency: 'replayedAny',
      replayStatus: 200,
      textLimit: 500,
      badPage: 'reject',
      currencies: ['CAD', 'EUR', 'GBP', 'USD', 'ZAR'],
    },
    minimum: { full: 93 },
  },
  {
    name: 'dotnet-style',
    accounts: {
      failing: 'NL02ABNA0123456703',
      returning: 'NL02ABNA0123456704',
      unavailable: 'NL02ABNA0123456705',
    },
    truth: {
      createStatus: 201,
      quoteStatus: 200,
      numbers: 'number',
      absent: 'null',
      paths: 'lenient',
      bothKeys: 'bearer',
      foreignPayment: 'not_found',
      unknownPath: 'public',
      mediaTypes: 'json',
      feeMode: 'onTop',
      rounding: 'half_even',
      malformedBody: 422,
      unknownFields: 'ignore',
      sameCurrency: 'reject',
      currencyCase: 'strict',
      excessPrecision: 'reject',
      amountText: 'reject',
      debitAt: 'create',
      refund: 'full',
      returnRefund: 'same',
      readLag: {},
      transitions: 'walk',
      idempotency: 'replayed',
      replayStatus: 200,
      textLimit: 140,
      unknownStatus: 'none',
      ack: '2xx',
      badPage: 'reject',
      pastEnd: 'empty',
      unknownFilter: 'reject',
      redelivery: 'same',
      events: ['processing', 'completed', 'failed'],
    },
    minimum: { full: 90, short: 63 },
  },
];

/** Returns the findings that differ from what the source of a service does. */
export function listWrong({ truth }: ReferenceService, findings: readonly Finding[]): string[] {
  return findings.flatMap((finding) => {
    const { setting, state, evidence } = finding;
    const isWrong =
      setting in truth &&
      'value' in finding &&
      JSON.stringify(finding.value) !== JSON.stringify(truth[setting]);
    return isWrong && state === 'found' ? [`${setting}: ${JSON.stringify(finding.value)}; ${evidence}`] : [];
  });
}
