import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../test/support/runs.ts';
import { comparePayment, compareText, listDifferences, showsNothing } from '../src/comparison.ts';
import type { Payment, SentField, SentFields } from '../src/models.ts';

const sent: SentFields = {
  from_currency: 'USD',
  to_currency: 'EUR',
  amount: '100.00',
  beneficiary_name: 'Weiß & Söhne GmbH',
  beneficiary_account: 'DE89 3704 0044 0532 0130 00',
  purpose: 'INV-41 office chairs',
};
const toPayment = (fields: SentFields): Payment =>
  ({
    id: 'pay_test_1',
    from_currency: fields.from_currency,
    to_currency: fields.to_currency,
    send_amount: Number(fields.amount),
    beneficiary: {
      name: fields.beneficiary_name,
      account: fields.beneficiary_account ?? null,
      bank: fields.beneficiary_bank ?? null,
      country: fields.beneficiary_country ?? null,
    },
    purpose: fields.purpose ?? null,
  }) as unknown as Payment;
const differencesOf = (fields: SentFields, payment: object): readonly SentField[] =>
  listDifferences(fields, comparePayment(fields, payment));

describe('the comparison of a sent text with the shown one', () => {
  it.each([
    ['Acme Ltd', 'Acme Ltd', 'same'],
    ['Acme  Ltd ', '\u00a0Acme\nLtd', 'same'],
    ['\uff21cme \ufb01', 'Acme fi', 'same'],
    ['XXX Ltd', 'XXX Ltd', 'same'],
    [undefined, null, 'same'],
    ['12345678', 12_345_678, 'same'],
    ['Acme Ltd', 'ACME LTD', 'changed'],
    ['Straße 5', 'STRASSE 5', 'changed'],
    ['Straße 5', 'STRAS', 'changed'],
    ['M\u00fcller', 'Mu\u0308ller', 'same'],
    ['M\u00fcller', 'Muller', 'changed'],
    ['Acme Supplies Ltd', 'Acme Supplie', 'changed'],
    ['Acme Supplies Ltd', 'A', 'changed'],
    ['Acme 株', 'Acme \uFFFD\uFFFD', 'changed'],
    ['Acme 👩', 'Acme \uD83D', 'changed'],
    ['INV-42', 'INV-4', 'changed'],
    ['Acme Ltd', null, 'hidden'],
    ['Acme Ltd', '', 'hidden'],
    ['Acme Ltd', {}, 'hidden'],
    ['Acme Ltd', 'A\u2022\u2022\u2022', 'changed'],
    ['Acme Ltd', 'Acme...', 'changed'],
    ['Acme Ltd', '[REDACTED]', 'hidden'],
    [undefined, '***', 'hidden'],
    ['Acme Ltd', 'B\u2022\u2022\u2022', 'different'],
    ['Acme Ltd', '!', 'hidden'],
    ['Acme Ltd', 'N/A', 'hidden'],
    ['Acme Ltd', 'Acme L..', 'changed'],
    ['Acme Supplies Ltd', 'A*** S******s L*d', 'hidden'],
    ['Мария Иванова', 'Maria Ivanova', 'hidden'],
    ['Acme Ltd', 'ACME LTD.', 'changed'],
    ['Weiß & Söhne', 'WEISS + SOEHNE', 'changed'],
    ['Ørsted Łódź', 'OERSTED LODZ', 'changed'],
    ['INV-41', 'INV 41', 'changed'],
    ['INV-41', 'INV 4 1', 'different'],
    ['rent 1/11', 'rent 11/1', 'different'],
    ['Acme Supplies Ltd', 'Supplies Ltd', 'different'],
    ['INV-4', 'INV-41', 'different'],
    ['INV-41', 'INV-42', 'different'],
    ['invoice #12', 'invoice #13', 'different'],
    ['2 × chair', '3 × chair', 'different'],
    ['rent', 'office chairs', 'different'],
    ['salary Alice 12', 'salary Bob 12', 'different'],
  ])('classifies %j and %j as %s', (ours, shown, comparison) => {
    expect(compareText(ours, shown)).toBe(comparison);
  });
});

describe('the comparison of a sent account number with the shown one', () => {
  it.each([
    ['DE89 3704 0044 0532 0130 00', 'de89370400440532013000', 'same'],
    ['0001 2345', '00012345', 'same'],
    ['12-34-56 12345678', '12345612345678', 'same'],
    ['DE89-3704-0044-0532-0130-00', 'de89 3704 0044 0532 0130 00', 'same'],
    ['DE89\u200B3704', 'DE893704', 'same'],
    ['12345678', 12_345_678, 'same'],
    ['AbC-1', 'abc1', 'changed'],
    ['DE89370400440532013000', 'DE8937040044', 'changed'],
    ['1234', '**1234', 'changed'],
    ['125634', '12**34', 'hidden'],
    ['DE89370400440532013000', '3000', 'hidden'],
    ['DE89370400440532013000', 'XXXXXXXXXXXXXXXXXX3000', 'hidden'],
    ['DE89370400440532013000', '\u2022\u2022\u2022\u2022 3000', 'hidden'],
    ['DE89370400440532013000', '0532013000', 'hidden'],
    ['DE89370400440532013000', 'DE89...3000', 'hidden'],
    ['DE89370400440532013000', 'DE*3000', 'hidden'],
    ['DE89370400440532013000', 'xx3000', 'hidden'],
    ['DE89370400440532013000', 'DE89----3000', 'hidden'],
    ['DE89370400440532013000', 'ending in 3000', 'hidden'],
    ['DE89370400440532013000', 'ending in 3001', 'different'],
    ['DE89370400440532013000', '****9999', 'different'],
    ['DE89370400440532013000', 'DE89XXXXXXXXXXXXXX9999', 'different'],
    ['DE89370400440532013000', 'E89370400440532013000', 'different'],
    ['DE89370400440532013000', 'DE02120300000000202051', 'different'],
    [undefined, 'DE02120300000000202051', 'hidden'],
  ])('classifies %j and %j as %s', (account, shown, comparison) => {
    const fields = { ...sent, beneficiary_account: account };
    const payment = { beneficiary: { name: 'x', account: shown } };
    expect(comparePayment(fields, payment as never).beneficiary_account).toBe(comparison);
  });
});

describe('the comparison of a payment with its create', () => {
  it('lists the fields that differ, under their names in the request', () => {
    const other = { ...sent, from_currency: 'GBP', to_currency: 'JPY', purpose: 'rent' };
    const stranger = toPayment({
      ...other,
      amount: '7',
      beneficiary_name: 'Zeta',
      beneficiary_account: 'FR76',
    });
    expect(differencesOf(sent, stranger)).toEqual([
      'from_currency',
      'to_currency',
      'amount',
      'beneficiary_name',
      'beneficiary_account',
      'purpose',
    ]);
  });

  it('accepts another amount if beneficiary and purpose are shown as sent', () => {
    const netOfFee = { ...toPayment(sent), send_amount: 98.5 };
    expect(differencesOf(sent, netOfFee)).toEqual([]);
    expect(differencesOf(sent, { ...netOfFee, purpose: null })).toEqual([]);
    expect(differencesOf(sent, { ...netOfFee, beneficiary: null, purpose: null })).toEqual(['amount']);
    const far = { ...netOfFee, send_amount: 900 };
    expect(differencesOf(sent, far)).toEqual([]);
    expect(differencesOf(sent, { ...far, purpose: null })).toEqual(['amount']);
    expect(differencesOf(sent, { ...far, beneficiary: null })).toEqual(['amount']);
    const { purpose: _, ...body } = sent;
    expect(differencesOf(body, { ...netOfFee, purpose: null })).toEqual([]);
    expect(differencesOf(body, { ...netOfFee, purpose: 'Payment' })).toEqual([]);
    expect(differencesOf(body, { ...netOfFee, purpose: 'Payment pay_test_1' })).toEqual([]);
    expect(differencesOf(body, { ...netOfFee, purpose: 'INV-42' })).toEqual(['purpose']);
  });

  it('accepts other names of a bank and a country beside the account', () => {
    const fields = { ...sent, beneficiary_bank: 'Commerzbank', beneficiary_country: 'DE' };
    const shown = (bank: string, country: string, account: string | null = null) => ({
      ...toPayment(sent),
      beneficiary: { name: sent.beneficiary_name, account, bank, country },
    });
    expect(differencesOf(fields, shown('COBADEFFXXX', 'FR', 'DE89370400440532013000'))).toEqual([]);
    expect(differencesOf(fields, shown('Commerzbank AG', 'Germany'))).toEqual([]);
    expect(differencesOf(fields, shown('COBADEFFXXX', 'Germany', '****3000'))).toEqual([]);
    expect(differencesOf(fields, shown('Deutsche Bank', 'FR'))).toEqual([
      'beneficiary_bank',
      'beneficiary_country',
    ]);
    expect(differencesOf(sent, shown('Commerzbank', 'DE'))).toEqual([]);
  });

  it('tells nothing if the payment shows nothing', () => {
    expect(showsNothing(sent, comparePayment(sent, { from_currency: 'USD', to_currency: 'EUR' }))).toBe(true);
    expect(showsNothing(sent, comparePayment(sent, { send_amount: 100 }))).toBe(false);
  });
});

/** The changes that a service may make to a text. */
const changes: readonly ((text: string, random: number) => unknown)[] = [
  (text) => text,
  () => null,
  () => undefined,
  () => '',
  (text) => text.toUpperCase(),
  (text) => text.trim(),
  (text) => text.replaceAll(/\s+/gu, ' '),
  (text) => ` ${text}  `,
  (text, random) => text.slice(0, 1 + Math.floor(random * text.length)),
  (text, random) =>
    Array.from(text)
      .slice(0, 1 + Math.floor(random * Array.from(text).length))
      .join(''),
  (text, random) =>
    Buffer.from(text)
      .subarray(0, 1 + Math.floor(random * Buffer.byteLength(text)))
      .toString(),
  (text) => text.normalize('NFC'),
  (text) => text.normalize('NFD'),
  (text) => text.normalize('NFKC'),
  (text) => text.normalize('NFKD'),
];
const letters = fc.constantFrom(
  ...Array.from('abcxyzABCXYZ0123456789 -/.éßäöüñçåøŁžığğşΩλжйё株式会社テスト한국어ﬁ①Ａ👩'),
  '  ',
);
const word = fc.string({ unit: letters, minLength: 1, maxLength: 24 }).filter((text) => text.trim() !== '');
const digits = fc.stringMatching(/^[A-Z]{2}\d{14,20}$/);
const body: fc.Arbitrary<SentFields> = fc.record({
  from_currency: fc.constantFrom('USD', 'GBP'),
  to_currency: fc.constantFrom('EUR', 'JPY'),
  amount: fc.integer({ min: 1, max: 9_999_999 }).map((cents) => (cents / 100).toFixed(2)),
  beneficiary_name: word,
  beneficiary_account: fc.option(digits, { nil: undefined }),
  beneficiary_bank: fc.option(word, { nil: undefined }),
  beneficiary_country: fc.option(fc.constantFrom('DE', 'FR', 'GB'), { nil: undefined }),
  purpose: fc.option(word, { nil: undefined }),
});
const change = fc.tuple(fc.nat({ max: changes.length - 1 }), fc.double({ min: 0, max: 0.999, noNaN: true }));

describe('the form that a service gives to the fields of a create', () => {
  it('is never taken for another payment', () => {
    const alarms: unknown[] = [];
    fc.assert(
      fc.property(body, fc.array(change, { minLength: 10, maxLength: 10 }), (fields, chosen) => {
        const list = [...chosen];
        const alter = (text: string | undefined): unknown => {
          if (text === undefined) return null;
          // Two changes, one after the other.
          const [first, second] = [list.pop() ?? ([0, 0] as const), list.pop() ?? ([0, 0] as const)];
          const once = changes[first[0]]?.(text, first[1]);
          return typeof once === 'string' && once !== '' ? changes[second[0]]?.(once, second[1]) : once;
        };
        const shown = toPayment(fields);
        const payment = {
          ...shown,
          purpose: alter(fields.purpose),
          beneficiary: {
            name: alter(fields.beneficiary_name),
            account: alter(fields.beneficiary_account),
            bank: alter(fields.beneficiary_bank),
            country: alter(fields.beneficiary_country),
          },
        };
        const differences = differencesOf(fields, payment);
        if (differences.length > 0) alarms.push({ fields, payment, differences });
      }),
      { numRuns: runs(2_000, 20_000) },
    );
    expect(alarms).toEqual([]);
  });

  it('never hides that a payment is another one', () => {
    const purposes = fc
      .tuple(fc.constantFrom('INV-', 'salary Alice ', 'salary Bob ', 'rent ', 'Büro '), fc.nat({ max: 99 }))
      .map(([text, number]) => `${text}${number}`);
    const account = fc.stringMatching(/^[A-Z]{2}\d{14,20}$/);
    const pair = fc.record({
      name: fc.constantFrom('Acme Ltd', 'Straße & Söhne', 'Alice Miller', 'Bob Miller'),
      otherName: fc.constantFrom('Acme Ltd', 'Straße & Söhne', 'Alice Miller', 'Bob Miller'),
      account,
      at: fc.nat({ max: 15 }),
      letter: fc.constantFrom(...Array.from('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ')),
      purpose: purposes,
      otherPurpose: purposes,
      form: fc.constantFrom(0, 4, 5, 6, 7, 11, 12, 13, 14),
    });
    const believed: unknown[] = [];
    let pairs = 0;
    fc.assert(
      fc.property(pair, (given) => {
        const { name, otherName, account: own, at, letter, purpose, otherPurpose, form } = given;
        const otherAccount = own.slice(0, at) + letter + own.slice(at + 1);
        const ours = { ...sent, beneficiary_name: name, beneficiary_account: own, purpose };
        const theirs = {
          ...sent,
          beneficiary_name: otherName,
          beneficiary_account: otherAccount,
          purpose: otherPurpose,
        };
        // A number that is the start of the other one can be a cut text.
        const isCut = purpose.startsWith(otherPurpose);
        const differs = name !== otherName || own !== otherAccount || (purpose !== otherPurpose && !isCut);
        fc.pre(differs);
        pairs += 1;
        const alter = (text: string): unknown => changes[form]?.(text, 0);
        const payment = {
          ...toPayment(theirs),
          purpose: alter(otherPurpose),
          beneficiary: { name: alter(otherName), account: alter(otherAccount), bank: null, country: null },
        };
        if (differencesOf(ours, payment).length === 0) believed.push({ ours, payment });
      }),
      { numRuns: runs(2_000, 20_000) },
    );
    expect(pairs).toBeGreaterThanOrEqual(runs(2_000, 20_000));
    expect(believed).toEqual([]);
  });
});
