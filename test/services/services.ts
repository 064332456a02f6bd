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
   * without payments. Raise them when the probe and the mock improve.
   */
  readonly minimum: { readonly full: number; readonly short: number };
}

export const referenceServices: readonly ReferenceService[] = [
  {
    name: 'hono-lagging',
    accounts: { failing: 'GB77FAIL', unavailable: 'GB00DOWN' },
    rateTolerance: 0.01,
    truth: {
      successStatus: { createPayment: 201, createQuote: 200, replayPayment: 200 },
      numbers: 'number',
      absent: 'null',
      paths: { similar: 'strict', unknown: 'authenticated' },
      requestBody: { mediaTypes: 'any' },
      fees: {},
      rounding: 'down',
      currencies: { same: 'allow', case: 'strict', codes: 'CAD EUR GBP USD ZAR' },
      amounts: { precision: 'reject', text: 'reject' },
      debitAt: { status: 'create' },
      statuses: { path: 'walk' },
      idempotency: 'replayedAny',
      listQuery: { page: 'reject' },
    },
    minimum: { full: 93, short: 72 },
  },
  {
    name: 'nest-tiers',
    accounts: { failing: 'CH9300762011629999' },
    truth: {
      successStatus: { createPayment: 202, createQuote: 201 },
      numbers: 'number',
      absent: 'omit',
      paths: { similar: 'lenient', unknown: 'public' },
      requestBody: { unknownFields: 'reject' },
      // It has other fees for larger amounts.
      fees: null,
      rounding: 'down',
      currencies: { same: 'reject', case: 'normalise', codes: 'CHF EUR GBP SEK USD' },
      amounts: { precision: 'round', text: 'accept', minimum: '1.00', maximum: '1000000.00' },
      debitAt: { status: 'processing', hold: 'reserve' },
      refund: { failed: 'lessFee' },
      readLag: {},
      statuses: { path: 'walk' },
      idempotency: 'conflict',
      listQuery: { page: 'default', pastEnd: 'not_found', filter: 'empty' },
      events: ['processing', 'completed', 'failed'],
    },
    minimum: { full: 80, short: 64 },
  },
];

/** Returns the findings that differ from what the source of a service does. */
export function listWrong({ truth }: ReferenceService, findings: readonly Finding[]): string[] {
  return findings.flatMap((finding) => {
    const { setting, state, evidence } = finding;
    const expected: unknown = truth[setting];
    if (expected === undefined || !('value' in finding)) return [];
    const { value } = finding;
    const parts = isParts(expected) && isParts(value) ? Object.keys(expected) : undefined;
    // The parts that a run found are right, also if others were not measured.
    const isWrong = parts
      ? parts.some((name) => name in (value as object) && differs(expected, value, name))
      : state === 'found' && JSON.stringify(value) !== JSON.stringify(expected);
    return isWrong ? [`${setting}: ${JSON.stringify(value)}; ${evidence}`] : [];
  });
}

const isParts = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const differs = (one: unknown, other: unknown, name: string): boolean => {
  const [left, right] = [one, other].map((each) => JSON.stringify((each as Record<string, unknown>)[name]));
  return left !== right;
};
