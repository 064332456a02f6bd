import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../test/support/runs.ts';
import { createPayer } from '../src/entries/payer.ts';
import { memoryStore } from '../src/entries/payer.ts';
import { checkTexts } from '../src/body.ts';
import type { Client, ServiceError } from '../src/index.ts';
import { catchRefusal, paymentInput } from './service.ts';

const split = (texts: string): string[] => texts.split(' | ');
const all = 'beneficiary_name beneficiary_account beneficiary_bank beneficiary_country purpose';

/** The damaged texts: the fields, a part of the problem, and the texts. */
const damaged: readonly (readonly [fields: string, problem: string, texts: readonly string[]])[] = [
  [
    'beneficiary_account',
    'no value',
    [
      ...split('null | NULL | undefined | NaN | None | nil | n/a | N/A | NA | [object Object] | (null)'),
      ...split('<nil> | <NA> | - | -- | — | ? | . | {} | []'),
      ' null ',
    ],
  ],
  [
    'reference beneficiary_name',
    'no value',
    split('undefined | null | NULL | NaN | None | N/A | (null) | <null> | [object Object]'),
  ],
  [
    all,
    'an invisible character',
    Array.from('\u200B\uFEFF\u00AD\u202E\u2066\u200E\u2060\u061C\u3164\u{E0041}').flatMap((one) => [
      `Ac${one}me`,
      `${one}Acme`,
      `Acme${one}`,
    ]),
  ],
  [all, 'a replacement character', ['M\uFFFDller', '\uFFFD', 'M\uD800ller', 'M\uFFFEller']],
  [
    all,
    'a control character',
    ['\u0000', '\t', '\n', '\u2028', '\u001b', '\u0085'].flatMap((one) => [`Ac${one}me`, `Acme${one}`]),
  ],
  [
    'beneficiary_account',
    'not Latin',
    split(
      'D\u0415893704 | \u0391BC123 | \u0410\u0412123 | 支付123 | ١٢٣٤ | 12\u0663 | １２３ | ＤＥ89 | ①②③ | Ⓐ1 | Ⓐ | 12² | ¹²³ | 1ª | ₁₂ | Ⅷ | ﬁ1 | 𝟏𝟐 | № 12 | ½ | ⑴ | ㎏1',
    ),
  ],
];

const cases = damaged.flatMap(([fields, problem, texts]) =>
  texts.flatMap((text) => fields.split(' ').map((field) => ({ field, text, problem }))),
);

describe('a damaged text of a payment', () => {
  it('is rejected in each of its fields, with its problem', () => {
    const judge = ({ field, text, problem }: (typeof cases)[number]): string[] => {
      try {
        checkTexts({ [field]: text });
      } catch (error) {
        const { name, outcome, message, fields = [] } = error as ServiceError;
        const texts = [
          message.startsWith(`${field} `) && message,
          fields[0]?.field === field && fields[0].message,
        ];
        const isRight = texts.every((one) => one && one.includes(problem));
        return name === 'ConfigurationError' && outcome === 'not_sent' && isRight
          ? []
          : [`${field} ${text}: ${message}`];
      }
      return [`${field} ${text} is accepted`];
    };
    expect(cases.flatMap(judge)).toEqual([]);
  });

  it('is rejected in an account for every character that only becomes a Latin letter or digit by NFKC', () => {
    const isPlain = (text: string): boolean => /^[\0-\u024F\u1E00-\u1EFF]*$/.test(text);
    let found = 0;
    for (let code = 0; code <= 0x10_ffff; code += 1) {
      if (code >= 0xd800 && code <= 0xdfff) continue;
      const one = String.fromCodePoint(code);
      if (one.normalize('NFKC') === one && !/[ª²³¹º¼½¾]/.test(one)) continue;
      const isSuperscript = /[ª²³¹º¼½¾]/.test(one);
      const isDisguised = /[\p{Script=Latin}\p{Nd}]/u.test(one.normalize('NFKC')) && one.normalize() === one;
      if (!isSuperscript && (isPlain(one) || !isDisguised || one.normalize('NFKC') === one)) continue;
      found += 1;
      for (const text of [one, `12${one}34`, `${one} 1234`])
        expect(() => checkTexts({ beneficiary_account: text }), `U+${code.toString(16)}`).toThrow(
          'not Latin',
        );
    }
    expect(found).toBeGreaterThan(1500);
  });

  it.each(['beneficiary_account', 'beneficiary_name'])(
    'is rejected by payments.create and by a payer before anything is sent: %s',
    async (field) => {
      const body = { ...paymentInput, [field]: 'undefined' };
      const open = (client: Client) => createPayer(client, { store: memoryStore() });
      const calls: ((client: Client) => Promise<unknown>)[] = [
        ({ payments }) => payments.create(body),
        (client) => open(client).plan('INV-41', body),
        (client) => open(client).prepare('INV-41', body),
      ];
      for (const call of calls) {
        const error = await catchRefusal(call);
        expect(error).toMatchObject({ name: 'ConfigurationError', fields: [{ field }] });
        expect(String(error)).not.toContain('undefined');
      }
    },
  );

  it('is rejected as a reference', async () => {
    const plan = (client: Client) => createPayer(client, { store: memoryStore() }).plan('null', paymentInput);
    expect(await catchRefusal(plan)).toMatchObject({ fields: [{ field: 'reference' }] });
  });
});

describe('a legitimate text of a payment', () => {
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

  it.each([
    ...names.flatMap((text) =>
      ['beneficiary_name', 'purpose', 'beneficiary_bank'].map((field) => ({ field, text })),
    ),
    ...accounts.map((text) => ({ field: 'beneficiary_account', text })),
    ...references.flatMap((text) => ['reference', 'purpose'].map((field) => ({ field, text }))),
  ])('is accepted in $field: $text', ({ field, text }) => {
    expect(() => checkTexts({ [field]: text })).not.toThrow();
  });

  it('is accepted in an account with each ASCII character and each letter of the Latin blocks', () => {
    // Without U+0149 and U+1E9A, which contain a modifier letter.
    for (const [first, last] of [
      [0x20, 0x7e],
      [0xc0, 0x148],
      [0x14a, 0x2af],
      [0x1e00, 0x1e99],
      [0x1e9b, 0x1eff],
    ] as const)
      for (let code = first; code <= last; code += 1) {
        const text = `A${String.fromCodePoint(code)}23`;
        expect(() => checkTexts({ beneficiary_account: text }), `U+${code.toString(16)}`).not.toThrow();
      }
  });

  it('is accepted for words of all scripts in names, and for IBANs and numbers', () => {
    const letters = fc.constantFrom(...Array.from('abcXYZéüßøłñçΑβЖщאבعمحمد株式会社アक'));
    const word = fc.array(letters, { minLength: 2, maxLength: 9 }).map((parts) => parts.join(''));
    const separator = fc.constantFrom(' ', '-', "'", ' & ', '. ', ', ');
    const name = fc.tuple(word, separator, word, separator, word).map((parts) => parts.join(''));
    const iban = fc
      .tuple(fc.stringMatching(/^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/), fc.constantFrom('', ' ', '-'))
      .map(([text, group]) => text.replaceAll(/.{4}(?=.)/g, `$&${group}`));
    const account = fc.oneof(iban, fc.stringMatching(/^\d{1,24}$/));
    const reference = fc.stringMatching(/^[A-Z]{2,4}[-/]\d{1,9}$/);
    fc.assert(
      fc.property(name, account, reference, (beneficiary_name, beneficiary_account, id) => {
        const purpose = `${beneficiary_name} ${id}`;
        expect(() =>
          checkTexts({ reference: id, beneficiary_name, beneficiary_account, purpose }),
        ).not.toThrow();
      }),
      { numRuns: runs(500) },
    );
  });
});
