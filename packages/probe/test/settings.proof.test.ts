// Each setting with another value than the default: the probe finds the value, or says what is missing.
import { isDeepStrictEqual } from 'node:util';
import type { ProfileChoice } from '@service/mock';
import type { Finding } from '@service/probe';
import { describe, expect, it } from 'vitest';
import { probeService } from './probe-service.ts';

const row = {
  uid: '{id}',
  kind: 'HOLD',
  payment: '{payment_id}',
  currency: '{currency}',
  cents: '{amount cents}',
  at: '{created_at unix}',
};

/** The settings that a run finds as they are. */
const found: readonly ProfileChoice[] = [
  { successStatus: { createQuote: 201, createPayment: 202, replayPayment: 200 } },
  { absent: 'omit', numbers: 'string', timestamps: 'fraction' },
  { absent: 'empty', numbers: 'floatTail', timestamps: { digits: 6, zone: '+01:00' } },
  { numbers: 'stringRate' },
  { numbers: 'numberRate' },
  { paths: { similar: 'lenient', unknown: 'public' } },
  { paths: { similar: 'redirect', unknown: 'authenticated' } },
  { requestBody: { mediaTypes: 'any', unknownFields: 'reject' } },
  { requestBody: { mediaTypes: 'json', unknownFields: 'ignore' } },
  { amounts: { text: 'accept', precision: 'round', minimum: '1.00', maximum: '500000.00' } },
  { amounts: { text: 'reject', precision: 'truncate', minimum: '0.01', maximum: '999999999.99' } },
  { currencies: { codes: 'EUR GBP JPY USD', case: 'normalise', same: 'reject' } },
  { idempotency: 'ignored' },
  { idempotency: 'conflict' },
  { idempotency: 'replayedAny' },
  { minorUnits: 'iso', rounding: 'half_even' },
  {
    rounding: 'down',
    fees: { percent: '1.2', minimum: '0.75', maximum: '40.00', rounding: 'up', mode: 'onTop' },
  },
  { fees: { percent: '0.35', flat: '0.30' } },
  { fees: { flat: '2.50', mode: 'onTop' } },
  { fees: {} },
  { wallets: { EUR: '2000.00', USD: '75000.00' } },
  { debitAt: { status: 'processing' }, refund: { failed: 'lessFee' } },
  { refund: { failed: 'none' } },
  { statuses: { path: 'skip' } },
  { statuses: { path: 'walk' } },
  { readLag: { payments: '800ms' } },
  { events: ['completed', 'failed'] },
  { listQuery: { page: 'default', pastEnd: 'not_found', filter: 'empty', order: 'oldest' } },
  { listQuery: { page: 'clamp', pastEnd: 'empty', filter: 'ignore', order: 'newest' } },
  { pagination: 'laravel' },
  { pagination: 'cursor' },
  { pagination: 'link' },
  {
    rows: {
      create: [row],
      debit: [{ ...row, kind: 'PAYOUT', cents: '{amount cents}' }],
      refund: [{ ...row, kind: 'BACK', cents: '{amount cents}' }],
      deposit: [{ ...row, kind: 'TOPUP', payment: null, cents: '{amount cents}' }],
    },
    debitAt: { status: 'processing' },
  },
  {
    pagination: {
      body: { success: true, items: '{rows}', next_cursor: '{next_cursor}', has_more: '{has_more}' },
      by: 'cursor',
    },
  },
];

/** Returns the values, or their fields, that a run reports as found and that differ from those of the service. */
function listWrong(
  profile: ProfileChoice,
  findings: Awaited<ReturnType<typeof probeService>>['findings'],
): string[] {
  return findings.flatMap((finding) => {
    const truth = profile[finding.setting] as unknown;
    if (truth === undefined || !('value' in finding) || !isFound(finding, truth)) return [];
    // A service has fields that its profile leaves out.
    const { value, proven } = finding;
    const shown = proven
      ? Object.fromEntries(
          Object.keys(truth as object).map((name) => [name, (value as Record<string, unknown>)[name]]),
        )
      : value;
    return isDeepStrictEqual(shown, truth) ? [] : [`${finding.setting}: ${JSON.stringify(value)}`];
  });
}

/** Whether a run found a value, or the fields of it that a profile has. */
const isFound = (finding: Finding, truth: unknown): boolean => {
  const fields = 'proven' in finding ? (finding.proven ?? []) : [];
  const named = Object.keys(truth as object);
  return finding.state === 'found' || (named.length > 0 && named.every((name) => fields.includes(name)));
};

describe('the findings of a service', () => {
  it.each(found.map((profile) => [JSON.stringify(profile), profile] as const))(
    'are right and found: %s',
    async (_, profile) => {
      const { findings } = await probeService({ profile });
      const open = findings
        .filter((finding) => finding.setting in profile && !isFound(finding, profile[finding.setting]))
        .map((finding) => [finding.setting, 'missing' in finding ? finding.missing : finding.evidence]);
      expect({ wrong: listWrong(profile, findings), open }).toEqual({ wrong: [], open: [] });
    },
  );
});
