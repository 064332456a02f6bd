import { describe, expect, it } from 'vitest';
import { compareAccount, compareText } from '../src/reconcile/comparison.ts';

describe('the comparison of a sent text with the shown text', () => {
  it.each([
    ['Acme Ltd', 'Acme Ltd', 'same'],
    ['Acme  Ltd ', '\u00a0Acme\nLtd', 'same'],
    ['\uff21cme \ufb01', 'Acme fi', 'same'],
    ['XXX Ltd', 'XXX Ltd', 'same'],
    [undefined, null, 'same'],
    ['Acme Ltd', 'ACME LTD.', 'not_comparable'],
    ['M\u00fcller', 'Muller', 'not_comparable'],
    ['Acme Supplies Ltd', 'Acme Supplies', 'not_comparable'],
    ['Acme Supplies Ltd', 'Supplies Ltd', 'not_comparable'],
    ['Acme Supplies Ltd', 'Acme Supplie', 'different'],
    ['Acme Supplies Limited', 'ACME SUPPLIES L', 'not_comparable'],
    ['A.C.M.E. Ltd', 'ACME', 'not_comparable'],
    ['S10', 'S1', 'different'],
    ['S10', '0', 'different'],
    ['Unit 10', 'Unit 1', 'different'],
    ['Unit 1 0', 'Unit 1', 'not_comparable'],
    ['Acme Ltd', '!', 'not_comparable'],
    ['Acme Ltd', null, 'not_comparable'],
    ['Acme Ltd', '', 'not_comparable'],
    ['Acme Ltd', 7, 'not_comparable'],
    ['Acme Ltd', 'B\u2022\u2022\u2022', 'not_comparable'],
    ['Acme Ltd', '[REDACTED]', 'not_comparable'],
    [undefined, '***', 'not_comparable'],
    ['Acme', 'Acme Ltd', 'different'],
    ['Acme', 'Borealis', 'different'],
    [undefined, 'Acme', 'not_comparable'],
  ])('classifies %j and %j as %s', (sent, shown, comparison) => {
    expect(compareText(sent, shown)).toBe(comparison);
  });
});

describe('the comparison of a sent account number with the shown one', () => {
  it.each([
    ['DE89 3704 0044 0532 0130 00', 'de89370400440532013000', 'same'],
    ['0001 2345', '00012345', 'same'],
    ['12-34-56 12345678', '12345612345678', 'same'],
    ['DE89-3704-0044-0532-0130-00', 'de89 3704 0044 0532 0130 00', 'same'],
    ['DE89\u200B3704', 'DE893704', 'same'],
    ['AbC-1', 'abc1', 'not_comparable'],
    ['1234', '**1234', 'not_comparable'],
    ['125634', '12**34', 'not_comparable'],
    ['DE89370400440532013000', '3000', 'not_comparable'],
    ['DE89370400440532013000', 'DE89XXXXXXXXXXXXXX9999', 'not_comparable'],
    ['DE89370400440532013000', 'DE02120300000000202051', 'different'],
  ])('classifies %j and %j as %s', (sent, shown, comparison) => {
    expect(compareAccount(sent, shown)).toBe(comparison);
  });
});
