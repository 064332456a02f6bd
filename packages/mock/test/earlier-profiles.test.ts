import { describe, expect, it } from 'vitest';
import { createMock, type ProfileChoice, upgradeProfile } from '@service/mock';

const read = (profile: object) => createMock({ profile }).sandbox.profile.get();

describe('a profile in the names of an earlier version', () => {
  it.each<[earlier: object, now: ProfileChoice]>([
    [
      { createStatus: 202, quoteStatus: 201, replayStatus: 200 },
      { successStatus: { createPayment: 202, createQuote: 201, replayPayment: 200 } },
    ],
    [
      { debitAt: 'processing', hold: 'none', refund: 'lessFee', returnRefund: 'none' },
      {
        debitAt: { status: 'processing', hold: 'none' },
        refund: { failed: 'lessFee', returned: 'none' },
      },
    ],
    [
      { badPage: 'clamp', pastEnd: 'not_found', unknownFilter: 'empty' },
      { listQuery: { page: 'clamp', pastEnd: 'not_found', filter: 'empty' } },
    ],
    [
      { currencies: ['USD', 'EUR'], sameCurrency: 'reject', currencyCase: 'normalise' },
      { currencies: { codes: ['USD', 'EUR'], same: 'reject', case: 'normalise' } },
    ],
    [
      { amountLimits: { minimum: '1.00' }, excessPrecision: 'round', amountText: 'accept' },
      { amounts: { minimum: '1.00', precision: 'round', text: 'accept' } },
    ],
    [
      { emptyText: 'absent', textLimit: 100, mediaTypes: 'any', unknownFields: 'reject' },
      {
        texts: { empty: 'absent', limit: 100 },
        requestBody: { mediaTypes: 'any', unknownFields: 'reject' },
      },
    ],
    [
      { paths: 'redirect', unknownPath: 'public', bodyChecked: 'beforeKey' },
      { paths: { similar: 'redirect', unknown: 'public' }, requestBody: { checked: 'beforeKey' } },
    ],
    [
      {
        envelope: { a: '{now}' },
        beside: { getPayment: { b: '{id}' } },
        eventHeaders: { 'X-Id': '{delivery}' },
      },
      {
        beside: { all: { a: '{now}' }, getPayment: { b: '{id}' } },
        headers: { event: { 'X-Id': '{delivery}' } },
      },
    ],
    [
      {
        idempotency: 'off',
        durations: { pending: '2s', under_review: '3s' },
        events: ['failed', 'under_review'],
      },
      { idempotency: 'ignored', durations: { pending: '2s' }, events: ['failed'] },
    ],
    [
      {
        deprecation: 'none',
        feeMode: 'inside',
        foreignPayment: 'not_found',
        malformedBody: 400,
        modeOn401: 'omit',
        rateLimitHeaders: 'x',
        redelivery: 'same',
        unknownStatus: 'none',
      },
      {},
    ],
  ])('%j is one in the present names', (earlier, now) => {
    expect(read(earlier)).toEqual(read(now));
    expect(upgradeProfile(upgradeProfile(earlier))).toEqual(upgradeProfile(earlier));
  });

  it.each<[profile: object, message: string]>([
    [{ feeMode: 'none' }, 'profile.feeMode was replaced: use `mode` in each rule of `fees`, or `fees: []`'],
    [{ foreignPayment: 'permission_error' }, 'use `refusals.foreign_payment`'],
    [{ malformedBody: 'empty' }, 'use `refusals.malformed_body`, or `requestBody.malformed`'],
    [{ modeOn401: 'guess' }, 'use a `mode` in the `body` of `errorShape`'],
    [{ rateLimitHeaders: 'ietf' }, 'use the `headers` of `refusals.rate_limit`'],
    [{ redelivery: 'newCreatedAt' }, 'use `{renewed_at}` in `eventShape`'],
    [{ unknownStatus: 'invented' }, 'use `extraStatuses`'],
    [{ deprecation: {} }, 'use the headers Deprecation, Sunset and Link of `headers.all`'],
    [{ amountLimits: '1.00' }, 'profile.amounts must be an object'],
    [{ createStatus: 404 }, 'profile.successStatus.createPayment must be 201 or 200 or 202'],
    [{ constructor: 1 }, 'has no field "constructor"'],
  ])('%j is refused, with what replaces it', (profile, message) => {
    expect(() => read(profile)).toThrow(message);
  });
});
