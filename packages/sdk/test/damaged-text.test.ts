import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../test/support/runs.ts';
import { createPayer } from '../src/entries/intents.ts';
import { createDuplicateGuard, createMemoryStore } from '../src/index.ts';
import { checkTexts } from '../src/values/damaged-text.ts';
import { catchRejection, createStubClient, payment, paymentInput, success } from './service.ts';

const fieldsOf = { account: 'beneficiary_account', name: 'beneficiary_name' } as const;

/** The damaged texts of each field, by a part of the problem. */
const damaged: Readonly<Record<string, readonly (readonly [field: string, text: string])[]>> = {
  'exponent form': [
    ...[
      '1.91431E+18',
      '1,91431E+18',
      '1e+21',
      '1.91431E18',
      '1.91431E+018',
      '-2.5E-7',
      '1.E+5',
      "'1E+15",
    ].flatMap((text): [string, string][] => [
      ['reference', text],
      ['beneficiary_account', text],
      ['beneficiary_name', text],
    ]),
    ['reference', '1E5'],
    ['purpose', '1.23457E+12'],
    ['beneficiary_bank', '3.70400E+08'],
  ],
  'an error value': [
    ...[
      '#N/A',
      '#REF!',
      '#NAME?',
      '#VALUE!',
      '#DIV/0!',
      '#NULL!',
      '#NUM!',
      '#SPILL!',
      '#CALC!',
      '#GETTING_DATA',
    ],
    ...[
      '#NV',
      '#BEZUG!',
      '#WERT!',
      '#ZAHL!',
      '#ÜBERLAUF!',
      '#¡REF!',
      '#¿NOMBRE?',
      '#¡VALOR!',
      '#N/D',
      '#NOMBRE?',
    ],
    ...[
      '#VALEUR!',
      '#NOM?',
      '#RIF!',
      '#VALORE!',
      '#VERW!',
      '#WAARDE!',
      '#N/B',
      '#ADR!',
      '#ARG!',
      '#I/T',
      '#SAKNAS!',
    ],
    ...['#ССЫЛКА!', '#ИМЯ?', '#Н/Д', 'Err:502', '######', '#', ' #N/A '],
  ].flatMap((text): [string, string][] => [
    ['beneficiary_account', text],
    ['beneficiary_name', text],
    ['purpose', text],
  ]),
  'formula or text mark': [
    ...[
      '=1+1',
      '="0041"',
      '=SUM(A1:A2)',
      '+SUM(A1)',
      '@SUM(A1)',
      '-A1',
      '+$B$7',
      '-1+2',
      '+1*2',
      "=cmd|'/C'!A0",
    ],
    ...["+cmd|'/C'!A0", '-(1+2)', '@A1'],
  ]
    .flatMap((text): [string, string][] => [
      ['reference', text.replaceAll(' ', '')],
      ['beneficiary_account', text],
      ['beneficiary_name', text],
    ])
    .concat([
      ['beneficiary_account', '-12345678'],
      ['beneficiary_account', '+abc'],
    ]),
  'or text mark of a spreadsheet': [
    ['reference', "'0041"],
    ['reference', '"0041"'],
    ['beneficiary_account', "'0041"],
    ['beneficiary_account', '"DE89370400440532013000"'],
    ['beneficiary_name', "'Acme Ltd"],
    ['beneficiary_name', "'0041"],
  ],
  'no value': [
    ...[
      'null',
      'NULL',
      'undefined',
      'NaN',
      'None',
      'nil',
      'n/a',
      'N/A',
      'NA',
      'n.a.',
      '[object Object]',
      '(null)',
      '<nil>',
    ],
    ...[
      '<NA>',
      'NaT',
      'DBNull',
      'System.DBNull',
      '-',
      '--',
      '—',
      '?',
      '.',
      '{}',
      '[]',
      '\\N',
      ' null ',
      '(blank)',
      'TRUE',
    ],
    ...['not available', 'no value', 'unknown'],
  ]
    .map((text): [string, string] => ['beneficiary_account', text])
    .concat(
      ['undefined', 'null', 'NaN', 'None', 'N/A', '(null)', '[object Object]'].flatMap(
        (text): [string, string][] => [
          ['reference', text.replaceAll(' ', '')],
          ['beneficiary_name', text],
        ],
      ),
    ),
  'formatted as a number': [
    ['beneficiary_account', '1,914,310,000'],
    ['beneficiary_account', '1914310000010100016.0'],
    ['beneficiary_account', '12345678.00'],
  ],
  'invisible character': [
    '\u200B',
    '\uFEFF',
    '\u00AD',
    '\u202E',
    '\u2066',
    '\u200E',
    '\u2060',
    '\u200C',
    '\u200D',
    '\u061C',
    '\u3164',
    '\u{E0041}',
  ]
    .flatMap((one) => [`Ac${one}me`, `${one}Acme`, `Acme${one}`])
    .flatMap((text): [string, string][] => [
      ['beneficiary_account', text],
      ['beneficiary_name', text],
      ['beneficiary_bank', text],
      ['beneficiary_country', text],
      ['purpose', text],
    ]),
  'replacement character': ['M\uFFFDller', '\uFFFD', 'M\uD800ller', 'M\uFFFEller'].flatMap(
    (text): [string, string][] => [
      ['beneficiary_name', text],
      ['purpose', text],
      ['beneficiary_account', text],
    ],
  ),
  'control character': ['Ac\u0000me', 'Ac\tme', 'Ac\nme', 'Ac\u2028me', 'Ac\u001b[2Jme', 'Acme\n'].flatMap(
    (text): [string, string][] => [
      ['beneficiary_name', text],
      ['purpose', text],
      ['beneficiary_account', text],
    ],
  ),
  'not Latin': ['D\u0415893704', '\u0391BC123', '\u0410\u0412123', '支付123', '١٢٣٤', '１２\u0663'].map(
    (text): [string, string] => ['beneficiary_account', text],
  ),
};

describe('a damaged text of a payment', () => {
  it.each(
    Object.entries(damaged).flatMap(([problem, cases]) =>
      cases.map(([field, text]) => [field, JSON.stringify(text), problem] as const),
    ),
  )('in %s is rejected: %s (%s)', (field, json, problem) => {
    const text = JSON.parse(json) as string;
    expect(() => checkTexts({ [field]: text })).toThrow(
      expect.objectContaining({
        name: 'ConfigurationError',
        outcome: 'not_sent',
        message: expect.stringMatching(new RegExp(`^${field} .*${problem}`)) as string,
        fields: [{ field, message: expect.stringContaining(problem) as string }],
      }) as Error,
    );
  });

  it.each(Object.values(fieldsOf))(
    'is rejected by payments.create and by a payer before anything is sent: %s',
    async (field) => {
      const { client, requests } = createStubClient([success(payment, 201)]);
      const body = { ...paymentInput, [field]: '1.91431E+18' };
      const payer = createPayer(client, { store: createMemoryStore() });
      for (const call of [
        client.payments.create(body),
        payer.plan('INV-41', body),
        payer.prepare('INV-41', body),
      ]) {
        const error = await catchRejection(call);
        expect(error).toMatchObject({ name: 'ConfigurationError', outcome: 'not_sent', fields: [{ field }] });
        expect(String(error)).not.toContain('1.91431');
      }
      expect(requests).toHaveLength(0);
    },
  );

  it('is rejected as a reference', async () => {
    const duplicateGuard = createDuplicateGuard(createMemoryStore());
    const { client, requests } = createStubClient([success(payment, 201)], { duplicateGuard });
    const payer = createPayer(client, { store: createMemoryStore() });
    for (const call of [
      client.payments.create(paymentInput, { reference: '1E+15' }),
      payer.plan('1E+15', paymentInput),
    ])
      expect(await catchRejection(call)).toMatchObject({ fields: [{ field: 'reference' }] });
    expect(requests).toHaveLength(0);
  });
});

describe('a legitimate text of a payment', () => {
  it.each([
    ...[
      'DE89 3704 0044 0532 0130 00',
      'DE89-3704-0044-0532-0130-00',
      '0041',
      '12-34-56 78901234',
      '+49 (30) 123-45',
    ],
    ...[
      'acme@example.com',
      '@acme',
      '12.345.678-5',
      '1914310000010100000',
      '1E',
      'E12',
      'ABC1E',
      'SIM-HOOK-FIRST',
    ],
    ...['NAN-1', 'NULL1', '0', 'x1e5', '1/2', '20-00-00/55779911', '１２３', 'A_1', 'Ä1'],
  ])('is accepted as an account: %s', (text) => {
    expect(() => checkTexts({ beneficiary_account: text })).not.toThrow();
  });

  it.each([
    ...[
      "O'Brien & Sons",
      "'t Hooft",
      "'s-Hertogenbosch BV",
      '’47 Brand',
      'D’Angelo',
      'Jean-Luc Smith-Jones',
      'Null',
      'Nan',
    ],
    ...[
      'Müller, Söhne',
      'Jose\u0301',
      '株式会社アクメ',
      'Общество',
      'شرکت نرم\u200Cافزار',
      'ශ්\u200Dරී ලංකා',
      'র\u200D্যাব',
      'مؤسسة',
      'मेहता',
    ],
    ...[
      '葛\u{E0100}城',
      '3E',
      '+44 Records',
      '@Home',
      '1-2-3 GmbH',
      '#1 Plumbing',
      'AT&T',
      'A=B Ltd',
      'No\u00A0break',
      '7-Eleven',
    ],
    ...['- none -', 'Ltd. "Acme"', 'E+ Energy', '-ism', '+A1 Plumbing'],
  ])('is accepted as a name: %s', (text) => {
    expect(() => checkTexts({ beneficiary_name: text, purpose: text, beneficiary_bank: text })).not.toThrow();
  });

  it.each([
    'E-2024',
    'INV-41',
    '0041',
    '2024E',
    'A1E5',
    'INV#41',
    '@x',
    '+41',
    '-41',
    "INV'41",
    '#42',
    'null-1',
    '7e4d',
  ])('is accepted as a reference: %s', (text) => {
    expect(() => checkTexts({ reference: text, purpose: text })).not.toThrow();
  });

  it('is accepted for all letters, accents and marks of words in names, and for all IBANs', () => {
    const letters = fc.constantFrom(...'abcXYZéüßøłñçΑβЖщאבעمحمد株式会社アक');
    const word = fc.array(letters, { minLength: 2, maxLength: 9 }).map((all) => all.join(''));
    const name = fc
      .tuple(
        word,
        fc.array(fc.tuple(fc.constantFrom(' ', '-', "'", ' & ', '. ', ', '), word), {
          minLength: 1,
          maxLength: 3,
        }),
      )
      .map(([first, rest]) => first + rest.map((pair) => pair.join('')).join(''));
    const iban = fc
      .tuple(fc.stringMatching(/^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/), fc.constantFrom('', ' ', '-'))
      .map(([text, separator]) => text.replaceAll(/.{4}(?=.)/g, `$&${separator}`));
    const number = fc.stringMatching(/^\d{1,24}$/);
    fc.assert(
      fc.property(
        name,
        fc.oneof(iban, number),
        fc.stringMatching(/^[A-Z]{2,4}[-/]\d{1,9}$/),
        (who, account, reference) => {
          checkTexts({
            reference,
            beneficiary_name: who,
            beneficiary_account: account,
            purpose: `${who} ${reference}`,
          });
        },
      ),
      { numRuns: runs(500) },
    );
  });
});
