import { createUsageError } from '../errors/error-classes.ts';

const AS_TEXT = 'Format the column as text, and export it again';
const EXPONENT = `is a number in exponent form, so digits of it are lost. ${AS_TEXT}`;
const FORMULA = `starts like a formula of a spreadsheet. ${AS_TEXT}`;
const MARK = 'starts or ends with the text mark of a spreadsheet. Remove the mark';
const NO_VALUE = 'is a word that programs print for no value. Correct it, or leave out an optional field';

/**
 * The forms of texts that a program damaged or decorated: the fields in which a form is an error, the form, and its
 * problem. The forms are those after NFKC.
 */
const rules: readonly (readonly [fields: RegExp, form: RegExp, problem: string])[] = [
  [/./, /[\p{Cc}\p{Zl}\p{Zp}]/u, 'contains a control character or a line break. Remove it'],
  [
    /./,
    // The joiners U+200C and U+200D belong to the writing of Persian, Bengali and other languages, and to emoji.
    /(?![\u200C\u200D])[\p{Cf}\u034F\u115F\u1160\u17B4\u17B5\u2800]|(?:^|[^\u0600-\u109F\u1780-\u18AF\uFE0F\p{ExtPict}\p{EMod}])[\u200C\u200D]/u,
    'contains an invisible character. Type it again, or remove the character',
  ],
  [
    /./,
    /[\uFFFD\p{Cs}\p{NChar}]/u,
    'contains a replacement character, so letters of it are lost. Export it again in UTF-8',
  ],
  [
    /./,
    /^(?:#+|#[¡¿]?\p{Lu}[\p{Lu}\d/_]*[!?]|#\p{L}\/\p{L}!?|#(?:NV|NA|YOK|HIÁNYZIK|GETTING_DATA)|Err:\d{3})$/u,
    'is the error value or the filling of a spreadsheet cell. Correct the cell, and export it again',
  ],
  [/./, /\[object ?\w+\]/, NO_VALUE],
  [
    /account/,
    /^(?:[^\p{L}\p{N}]*|\\N|\W*(?:null|undefined|nan|none|nil|n\W?a|nat|nonetype|(?:system\.)?dbnull|true|false|blank|empty|missing|unknown|(?:no|not) ?(?:value|available|applicable))\W*)$/iu,
    NO_VALUE,
  ],
  [/reference|account|name/, /^["']?[+-]?\d+(?:[.,]\d*)?E[+-]?\d+["']?$/i, EXPONENT],
  [/./, /^\d[.,]\d+E\+\d+$/i, EXPONENT],
  [
    /reference|account|name/,
    // A phone number can be an account: +49-30-1234 is no formula.
    /^(?:=|[+@-]\$?[A-Z]{1,3}\$?\d+(?:$|[^\w\s.])|[+@-]\w*[(|!]|-\d[\d.,]*[-+*/^]|\+\d[\d.,]*[+*/^])/i,
    FORMULA,
  ],
  [/account/, /^(?:-|\+(?![\d\s()./-]+$))/, FORMULA],
  [/reference|account/, /^["']|["']$/, MARK],
  // Dutch and Afrikaans names start with 't, 's or 'n.
  [/name/, /^'(?![a-z]{1,2}[\s-])/, `${MARK}, or write ’ if it belongs to the name`],
  [
    /account/,
    /^(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+\.0+)$/,
    `is formatted as an amount or a decimal number. ${AS_TEXT}`,
  ],
  [/reference|name/, /^[<([]?(?:undefined|null|NULL|NaN|None|nil|N\/A|n\/a)[>)\]]?$/, NO_VALUE],
  [
    /account/,
    /(?![\p{Script=Latin}0-9])[\p{L}\p{N}\p{M}]/u,
    'contains letters or digits that are not Latin, which can look like others. Type it again',
  ],
];

/**
 * Checks the texts of a payment, by field, for damage on their way.
 *
 * @throws {ConfigurationError} (`not_sent`) with the first damaged field in `fields`. Contains no value.
 */
export function checkTexts(texts: Readonly<Record<string, string | undefined>>): void {
  for (const [field, text = ''] of Object.entries(texts)) {
    const plain = text.normalize('NFKC');
    const rule =
      text !== '' &&
      rules.find(([fields, form]) => fields.test(field) && (form.test(plain) || form.test(plain.trim())));
    if (rule) throw createUsageError(`${field} ${rule[2]}.`, [{ field, message: `${rule[2]}.` }]);
  }
}
