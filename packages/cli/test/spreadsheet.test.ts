import { describe, expect, it } from 'vitest';
import { findDamage } from '../src/spreadsheet.ts';

const split = (texts: string): string[] => texts.split(' | ');
const identifiers = 'reference account name';

/** The damaged texts: the columns, a part of the problem, and the texts. */
const damaged: readonly (readonly [columns: string, problem: string, texts: readonly string[]])[] = [
  [
    identifiers,
    'exponent form',
    split("1.91431E+18 | 1,91431E+18 | 1e+21 | 1.91431E18 | 1.91431E+018 | -2.5E-7 | 1.E+5 | '1E+15 | 1E5"),
  ],
  ['purpose bank', 'exponent form', split('1.23457E+12 | 3,70400E+08')],
  [
    'account name purpose',
    'an error value',
    [
      ...split(
        '#N/A | #REF! | #NAME? | #VALUE! | #DIV/0! | #NULL! | #NUM! | #SPILL! | #CALC! | #GETTING_DATA',
      ),
      ...split('#NV | #BEZUG! | #WERT! | #ZAHL! | #ÜBERLAUF! | #¡REF! | #¿NOMBRE? | #¡VALOR! | #N/D | #n/a'),
      ...split('#VALEUR! | #NOM? | #RIF! | #VALORE! | #VERW! | #WAARDE! | #N/B | #ADR! | #ARG! | #I/T'),
      ...split('#SAKNAS! | #ССЫЛКА! | #ИМЯ? | #Н/Д | #YOK | Err:502 | ###### | #'),
      ' #N/A ',
    ],
  ],
  [
    identifiers,
    'formula or text mark of a spreadsheet',
    [
      ...split(
        '=1+1 | ="0041" | =SUM(A1:A2) | +SUM(A1) | @SUM(A1) | -A1 | +$B$7 | -1+2 | +1*2 | -(1+2) | @A1',
      ),
      ...split(`=cmd|'/C'!A0 | +cmd|'/C'!A0 | '0041 | 'Acme`),
    ],
  ],
  ['account', 'formula or text mark', split('-12345678 | +abc | "DE89370400440532013000"')],
  ['account', 'formatted as a number', split('1,914,310,000 | 1914310000010100016.0 | 12345678.00')],
];

const cases = damaged.flatMap(([columns, problem, texts]) =>
  texts.flatMap((text) => columns.split(' ').map((column) => ({ column, text, problem }))),
);

describe('a text that a spreadsheet damaged', () => {
  it('is found in each of its columns, with its problem and without its value', () => {
    const judge = ({ column, text, problem }: (typeof cases)[number]): string[] => {
      const found = findDamage({ from: 'USD', [column]: text, amount: '1E5' }) ?? '';
      return found.startsWith(`${column} `) && found.includes(problem) ? [] : [`${column} ${text}: ${found}`];
    };
    expect(cases.flatMap(judge)).toEqual([]);
    expect(findDamage({ account: '1.91431E+18' })).not.toContain('1.91431');
  });
});

describe('a legitimate text beside those of spreadsheets', () => {
  const names = [
    ...split(
      "O'Brien & Sons | 't Hooft | 's-Hertogenbosch BV | ’47 Brand | D’Angelo | Jean-Luc Smith-Jones | Null",
    ),
    ...split(
      'Nan | Müller, Söhne | Jose\u0301 | 株式会社アクメ | Общество | مؤسسة | मेहता | شرکت نرم\u200Cافزار',
    ),
    ...split(
      'ශ්\u200Dරී ලංකා | র\u200D্যাব | 葛\u{E0100}城 | 👩‍👩‍👧 | 3E | +44 Records | @Home | 1-2-3 GmbH | #1 Plumbing',
    ),
    ...split(
      'AT&T | A=B Ltd | No\u00A0break | 7-Eleven | - none - | Ltd. "Acme" | E+ Energy | -ism | +A1 Plumbing',
    ),
  ];
  const accounts = [
    ...split(
      'DE89 3704 0044 0532 0130 00 | DE89-3704-0044-0532-0130-00 | 0041 | 12-34-56 78901234 | 0 | 1/2',
    ),
    ...split(
      '+49 (30) 123-45 | acme@example.com | @acme | 12.345.678-5 | 1914310000010100000 | 1E | E12 | ABC1E',
    ),
    ...split(
      'SIM-HOOK-FIRST | NAN-1 | NULL1 | x1e5 | 20-00-00/55779911 | A_1 | Ä1 | Å1 | ĳ1 | ŁÓDŹ-1 | Ạ1 | A\u0308 1 | 12－34 | 12\u00A034',
    ),
  ];
  const references = split(
    "E-2024 | INV-41 | 0041 | 2024E | A1E5 | INV#41 | @x | +41 | -41 | INV'41 | #42 | null-1 | 7e4d",
  );

  it('is accepted in its columns', () => {
    const texts = [
      ...names.flatMap((text) => ['name', 'purpose', 'bank'].map((column) => ({ [column]: text }))),
      ...accounts.map((account) => ({ account })),
      ...references.flatMap((text) => ['reference', 'purpose'].map((column) => ({ [column]: text }))),
    ];
    expect(texts.filter((text) => findDamage(text) !== undefined)).toEqual([]);
  });
});
