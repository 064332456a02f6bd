import { describe, expect, it } from 'vitest';
import { compareProfile, type Finding } from '@service/probe';

const dates = { deprecated: '2026-01-01T00:00:00.000Z', sunset: '2027-01-01T00:00:00.000Z' };
const findings: readonly Finding[] = [
  { setting: 'createStatus', state: 'found', value: 201, evidence: '' },
  { setting: 'events', state: 'found', value: ['completed', 'failed'], evidence: '' },
  { setting: 'deprecation', state: 'found', value: dates, evidence: '' },
  { setting: 'numbers', state: 'other', evidence: '"fee": {}' },
  { setting: 'ack', state: 'unknown', evidence: 'requires webhooks', among: ['2xx'] },
];

describe('compareProfile', () => {
  it('returns no difference for the same values in another order', () => {
    const { deprecated, sunset } = dates;
    const expected = {
      createStatus: 201,
      events: ['failed', 'completed'],
      deprecation: { sunset, deprecated },
    };
    expect(compareProfile(findings, expected)).toEqual({ differences: [], unmeasured: [] });
  });

  it('returns the expected and the found value of each difference', () => {
    const expected = { createStatus: 200, events: ['completed'], deprecation: 'none' };
    expect(compareProfile(findings, expected).differences).toEqual([
      { setting: 'createStatus', expected: 200, found: 201 },
      { setting: 'events', expected: ['completed'], found: ['completed', 'failed'] },
      { setting: 'deprecation', expected: 'none', found: dates },
    ]);
  });

  it('compares values with their type', () => {
    expect(compareProfile(findings, { createStatus: '201' }).differences).toHaveLength(1);
  });

  it('returns the evidence if no value describes the service', () => {
    expect(compareProfile(findings, { numbers: 'number' }).differences).toEqual([
      { setting: 'numbers', expected: 'number', found: '"fee": {}' },
    ]);
  });

  it('lists expected settings that were not measured, even if their value remains possible', () => {
    expect(compareProfile(findings, { ack: '2xx' })).toEqual({ differences: [], unmeasured: ['ack'] });
  });

  it('ignores settings that the profile does not have', () => {
    expect(compareProfile(findings, {})).toEqual({ differences: [], unmeasured: [] });
  });
});
