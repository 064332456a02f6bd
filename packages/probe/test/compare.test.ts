import { describe, expect, it } from 'vitest';
import { compareProfile, type Finding } from '@service/probe';

const findings: readonly Finding[] = [
  { setting: 'successStatus', state: 'found', value: { createPayment: 201 }, evidence: '' },
  { setting: 'events', state: 'found', value: ['completed', 'failed'], evidence: '' },
  { setting: 'numbers', state: 'partly', missing: ['"fee": {}'], evidence: '"fee": {}' },
  { setting: 'ack', state: 'unknown', evidence: 'requires webhooks', among: ['2xx'] },
];

describe('compareProfile', () => {
  it('returns no difference for the same values in another order', () => {
    const expected = { successStatus: { createPayment: 201 }, events: ['failed', 'completed'] };
    expect(compareProfile(findings, expected)).toEqual({ differences: [], unmeasured: [] });
  });

  it('returns the expected and the found value of each difference', () => {
    const expected = { successStatus: { createPayment: 200 }, events: ['completed'] };
    expect(compareProfile(findings, expected).differences).toEqual([
      {
        setting: 'successStatus',
        expected: { createPayment: 200 },
        found: { createPayment: 201 },
        details: ['createPayment was 200, is 201'],
      },
      { setting: 'events', expected: ['completed'], found: ['completed', 'failed'] },
    ]);
  });

  it('returns the evidence if no value describes the service', () => {
    expect(compareProfile(findings, { numbers: 'number' }).differences).toEqual([
      { setting: 'numbers', expected: 'number', found: '"fee": {}' },
    ]);
  });

  it('lists expected settings that were not measured, even if their value remains possible', () => {
    expect(compareProfile(findings, { ack: '2xx' })).toEqual({ differences: [], unmeasured: ['ack'] });
  });

  it.each<[setting: Finding['setting'], expected: unknown, found: unknown, details: readonly string[]]>([
    [
      'fees',
      [{ percent: '0.5', maximum: '50.00' }],
      [{ percent: '0.6', maximum: '50.00' }],
      [
        'fee on 10.00 USD was 0.05, is 0.06',
        'fee on 1000.00 USD was 5.00, is 6.00',
        'fee on 5000.00 USD was 25.00, is 30.00',
      ],
    ],
    ['currencies', ['USD', 'EUR'], ['EUR', 'NGN'], ['currency NGN is new', 'currency USD is gone']],
    ['wallets', { USD: '3.00' }, { USD: '1.00', JPY: '0.00' }, ['wallet in JPY is new']],
    [
      'amounts',
      { minimum: '1', maximum: '50' },
      { minimum: '1.00', maximum: '60.00' },
      ['maximum was 50, is 60.00'],
    ],
  ])('compares %s %j with %j', (setting, expected, value, details) => {
    const finding = { setting, state: 'found', value, evidence: '' } as Finding;
    const { differences } = compareProfile([finding], { [setting]: expected });
    expect(differences.flatMap((each) => each.details)).toEqual(details);
    expect(differences.length).toBe(details.length > 0 ? 1 : 0);
  });

  it.each<[Finding['setting'], unknown, unknown]>([
    ['rates', { pairs: { 'USD/EUR': '0.92' } }, { pairs: { 'USD/EUR': '0.93' } }],
    ['durations', { pending: '1s' }, { pending: '4s' }],
    ['latency', 0, ['3s', '4s']],
    ['readLag', {}, { payments: '5s' }],
    ['retrySchedule', ['9s', '9s'], ['9100ms', '9s', '9s']],
    ['quoteShape', { id: 'qt_{digits 16}', total: '{debit}' }, { id: 'qt_{hex 16}', total: '{send_amount}' }],
  ])('raises no alarm for %s, which can move: %j and %j', (setting, expected, value) => {
    const finding = { setting, state: 'found', value, evidence: '' } as Finding;
    expect(compareProfile([finding], { [setting]: expected })).toEqual({ differences: [], unmeasured: [] });
  });

  it('raises no alarm for what is only partly explained', () => {
    const finding = {
      setting: 'fees',
      state: 'partly',
      value: [{ percent: '1' }],
      missing: ['the fees from EUR'],
      evidence: '',
    } as const;
    expect(compareProfile([finding], { fees: [{ percent: '2' }] })).toEqual({
      differences: [],
      unmeasured: [],
    });
  });

  it.each<[Finding['setting'], unknown, unknown]>([
    ['retrySchedule', ['1s', '2s'], ['1s', '9s']],
    ['retrySchedule', ['1s', '2s'], 'none'],
    ['refusals', { validation: { status: 400 } }, { validation: { status: 422 } }],
    ['quoteShape', { id: '{id}' }, { id: '{id}', total: '{debit}' }],
  ])('names %s if it changed: %j and %j', (setting, expected, value) => {
    const finding = { setting, state: 'found', value, evidence: '' } as Finding;
    expect(compareProfile([finding], { [setting]: expected }).differences).toHaveLength(1);
  });
});
