import { describe, expect, it } from 'vitest';
import { compareProfile, type Finding } from '@service/probe';

const find = (setting: Finding['setting'], value: unknown, proven?: readonly string[]): Finding => ({
  setting,
  state: 'found',
  value,
  evidence: '',
  ...(proven && { proven }),
});

describe('compareProfile', () => {
  it.each<[setting: Finding['setting'], expected: unknown, found: unknown]>([
    ['events', ['failed', 'completed'], ['completed', 'failed']],
    ['debitAt', 'create', { status: 'create' }],
    ['amounts', { minimum: '1' }, { minimum: '1.00' }],
    ['rows', 'full', 'full'],
    ['fees', { percent: '0.50' }, { percent: '0.5' }],
    // They move although the service does not change.
    ['rates', { pairs: { 'USD/EUR': '0.92' } }, { pairs: { 'USD/EUR': '0.93' } }],
    ['statuses', 'walk', { path: 'walk' }],
    ['readLag', {}, { payments: '5s' }],
    ['wallets', { USD: '3.00' }, { USD: '1.00' }],
  ])('finds no difference of %s: %j and %j', (setting, expected, value) => {
    const { differences, unmeasured } = compareProfile([find(setting, value)], { [setting]: expected });
    expect({ differences, unmeasured }).toEqual({ differences: [], unmeasured: [] });
  });

  it.each<[setting: Finding['setting'], expected: unknown, found: unknown, details: readonly string[]]>([
    ['successStatus', { createPayment: 200 }, { createPayment: 201 }, ['createPayment was 200, is 201']],
    ['events', ['completed'], ['completed', 'failed'], ['the value failed is new: true']],
    ['wallets', { USD: '3.00' }, { USD: '1.00', JPY: '0.00' }, ['wallet in JPY is new: true']],
    [
      'fees',
      { percent: '0.5', maximum: '50.00' },
      { percent: '0.6', maximum: '50.00' },
      ['percent was 0.5, is 0.6'],
    ],
    ['refusals', {}, { validation: { status: 400 } }, ['validation.status is new: 400']],
    [
      'rows',
      'full',
      { debit: [{ id: '{id}' }] },
      expect.arrayContaining([expect.stringContaining('debit.0.type is gone')]) as never,
    ],
  ])('names the differences of %s: %j and %j', (setting, expected, value, details) => {
    const { differences } = compareProfile([find(setting, value)], { [setting]: expected });
    expect(differences).toEqual([{ setting, expected, found: value, details }]);
  });

  it('compares only the fields that were found, and a refusal that is as documented again', () => {
    const finding: Finding = {
      setting: 'amounts',
      state: 'partly',
      value: { minimum: '2.00', text: 'reject' },
      proven: ['text'],
      missing: ['minimum: another one from EUR'],
      evidence: '',
    };
    expect(compareProfile([finding], { amounts: { minimum: '1.00', text: 'reject' } }).differences).toEqual(
      [],
    );
    const refusals = find('refusals', {}, ['validation']);
    const { differences } = compareProfile([refusals], {
      refusals: { validation: { status: 400 }, rate_limit: { status: 503 } },
    });
    expect(differences.map(({ details }) => details)).toEqual([['validation.status is gone']]);
  });

  it('reports what no value describes, and lists what was not measured', () => {
    const other: Finding = {
      setting: 'numbers',
      state: 'partly',
      missing: ['"fee": {}'],
      evidence: '"fee": {}',
    };
    const unknown: Finding = { setting: 'ack', state: 'unknown', evidence: 'no webhook' };
    expect(compareProfile([other, unknown], { numbers: 'number', ack: 200 })).toEqual({
      differences: [{ setting: 'numbers', expected: 'number', found: '"fee": {}', details: ['"fee": {}'] }],
      unmeasured: ['ack'],
    });
  });
});
