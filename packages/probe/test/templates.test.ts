import { createMock } from '@service/mock';
import type { MeasuredProfile } from '@service/probe';
import { describe, expect, it } from 'vitest';
import { found } from '../src/finding.ts';
import { findInvalidTemplates, rejectInvalid } from '../src/templates/check.ts';
import type { Known } from '../src/templates/known.ts';
import { learnTemplate } from '../src/templates/learn.ts';

const values = ['id', 'created_at', 'at', 'now', 'total', 'limit', 'attempt', 'row_fee', 'debit', 'message'];
const lists = ['rows', 'wallets', 'fields', 'issues'];
const templates = [...values.map((name) => `{${name}}`), ...lists.map((name) => [`{each ${name}}`, '{now}'])];

/** The profiles with a template in one place. */
const places: Readonly<Record<string, (template: never) => MeasuredProfile>> = {
  envelope: (template) => ({ envelope: { meta: template } }),
  beside: (template) => ({ beside: { getPayment: { meta: template } } }),
  quoteShape: (template) => ({ quoteShape: { meta: template } }),
  paymentShape: (template) => ({ paymentShape: { meta: template } }),
  balanceShape: (template) => ({ balanceShape: { meta: template } }),
  eventShape: (template) => ({ eventShape: { meta: template } }),
  transactionShape: (template) => ({ transactionShape: [{ of: 'any', row: { meta: template } }] }),
  'data of pages': (template) => ({ pagination: { data: { meta: template } } }),
  'fields beside the data of pages': (template) => ({ pagination: { data: [], beside: { meta: template } } }),
  'headers of pages': (template) => ({ pagination: { data: [], headers: { 'x-meta': template } } }),
  errorShape: (template) => ({ errorShape: { body: { meta: template } } }),
  'headers of errors': (template) => ({ errorShape: { headers: { 'x-meta': template } } }),
  refusals: (template) => ({ refusals: { rate_limit: { body: { meta: template } } } }),
  'headers of refusals': (template) => ({ refusals: { rate_limit: { headers: { 'x-meta': template } } } }),
  issues: (template) => ({ issues: { missing: [template] } }),
  eventHeaders: (template) => ({ eventHeaders: { 'x-meta': template } }),
  'headers of all': (template) => ({ headers: { all: { 'x-meta': template } } }),
  'headers of createPayment': (template) => ({ headers: { createPayment: { 'x-meta': template } } }),
  'headers of getBalance': (template) => ({ headers: { getBalance: { 'x-meta': template } } }),
};

function isAccepted(profile: MeasuredProfile): boolean {
  try {
    createMock({ profile });
    return true;
  } catch {
    return false;
  }
}

describe('findInvalidTemplates', () => {
  it.each(Object.entries(places))('accepts the values of %s that the mock accepts', (name, toProfile) => {
    const texts = /headers/i.test(name) ? templates.filter((each) => typeof each === 'string') : templates;
    const profiles = texts.map((template) => toProfile(template as never));
    const accepted = profiles.filter((profile) => findInvalidTemplates(profile).length === 0);
    expect(accepted).toEqual(profiles.filter(isAccepted));
  });
});

describe('rejectInvalid', () => {
  it('returns unknown with the reason for a value that its place does not have', () => {
    const finding = found('balanceShape', { since: '{created_at}' }, 'fields: since');
    expect(rejectInvalid(finding)).toEqual({
      setting: 'balanceShape',
      state: 'unknown',
      evidence:
        'learned a template that a profile cannot have, balanceShape.since: {created_at} is no value here; there is request_id, now, method, path, target, currency, balance, available, reserved; fields: since',
    });
  });
});

describe('learnTemplate', () => {
  const forms = { numbers: 'number' } as const;
  const text = (value: string): Known => ({ kind: 'text', text: value });

  it('finds the target of requests with different queries', () => {
    const samples = ['/v1/quotes', '/v1/transactions?page=0'].map((target) => {
      const [path = ''] = target.split('?');
      return { json: target, known: { path: text(path), target: text(target) } };
    });
    expect(learnTemplate(samples, forms, 'instance').template).toBe('{target}');
    expect(learnTemplate(samples.slice(0, 1), forms, 'instance').template).toBe('{path}');
  });

  it.each(['beneficiary_name', 'beneficiary_bank', 'beneficiary_account', 'purpose'])(
    'finds the %s in a field with any name, if all payments have the same',
    (name) => {
      const samples = [1, 2].map(() => ({ json: 'Probe', known: { [name]: text('Probe') } }));
      expect(learnTemplate(samples, forms, 'x').template).toBe(`{${name}}`);
    },
  );

  const amount = (micro: bigint): Known => ({ kind: 'amount', micro });

  it('finds the whole number and the fraction of an amount in two fields', () => {
    const samples = (
      [
        [-13_170_000n, '-13', -170_000_000],
        [-250_000n, '0', -250_000_000],
      ] as const
    ).map(([micro, units, nanos]) => ({
      json: { currency: 'USD', units, nanos, version: 0 },
      known: { currency: text('USD'), debit: amount(micro - 1_000_000n), amount: amount(micro) },
    }));
    const parts = { units: '{amount whole text}', nanos: '{amount fraction=9}' };
    const rest = { currency: '{currency}', version: 0 };
    expect(learnTemplate(samples, forms)).toEqual({ template: { ...rest, ...parts }, unexplained: [] });
    const whole = [{ json: { units: '-1', nanos: 0 }, known: { amount: amount(-1_000_000n) } }];
    expect(learnTemplate(whole, forms).template).toMatchObject({ nanos: 0 });
    const given = { whole: 'units', fraction: 'nanos', digits: 9 };
    expect(learnTemplate(whole, { ...forms, parts: given }).template).toEqual(parts);
  });
});
