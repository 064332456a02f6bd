import { createUsageError } from '../errors/error-classes.ts';

const AS_TEXT = '. Format the column as text, and export it again';
const NO_VALUE = 'is a word that programs print for no value. Leave out a field without a value';
const EXPONENT = 'is a number in exponent form, so digits of it are lost' + AS_TEXT;
const MARK = 'has the formula or text mark of a spreadsheet' + AS_TEXT;

/**
 * The forms of texts that a program damaged or decorated: the fields in which a form is an error, the form after NFKC,
 * and its problem.
 */
const rules: readonly (readonly [fields: RegExp, form: RegExp, problem: string])[] = [
  [/./, /[\p{Cc}\p{Zl}\p{Zp}]/u, 'contains a control character or a line break'],
  [
    /./,
    // The joiners U+200C and U+200D belong to the writing of Persian, Bengali and other languages, and to emoji.
    /(?![\u200C\u200D])[\p{Cf}\u034F\u115F\u1160\u17B4\u17B5\u2800]|(?:^|[^\uFE0F\u0600-\u109F\u1780-\u18AF\p{ExtPict}\p{EMod}])[\u200C\u200D]/u,
    'contains an invisible character. Type it again',
  ],
  [
    /./,
    /[\uFFFD\p{Cs}\p{NChar}]/u,
    'contains a replacement character: letters are lost. Export it again in UTF-8',
  ],
  [
    /./,
    /^(?:#+|#[¡¿]?\p{Lu}[\p{Lu}\d/_]*[!?]|#\p{L}\/\p{L}!?|#(?:NV|NA|YOK|HIÁNYZIK|GETTING_DATA)|Err:\d{3})$/u,
    'is an error value or the filling of a spreadsheet cell. Correct the cell',
  ],
  [/./, /\[object ?\w+\]/, NO_VALUE],
  [
    /account/,
    /^(?:[^\p{L}\p{N}]*|\\N|\W*(?:null|undefined|nan|none|nil|n\W?a|nat|nonetype|(?:system\.)?dbnull|true|false|blank|empty|missing|unknown|(?:no|not) ?(?:value|available|applicable))\W*)$/iu,
    NO_VALUE,
  ],
  [/reference|name/, /^[<([]?(?:undefined|null|NULL|NaN|None|nil|N\/A|n\/a)[>)\]]?$/, NO_VALUE],
  [/reference|account|name/, /^["']?[+-]?\d+(?:[.,]\d*)?E[+-]?\d+["']?$/i, EXPONENT],
  [/./, /^\d[.,]\d+E\+\d+$/i, EXPONENT],
  [
    /reference|account|name/,
    // A phone number can be an account: +49-30-1234 is no formula.
    /^(?:=|[+@-]\$?[A-Z]{1,3}\$?\d+(?:$|[^\w\s.])|[+@-]\w*[(|!]|-\d[\d.,]*[-+*/^]|\+\d[\d.,]*[+*/^])/i,
    MARK,
  ],
  [/reference|account/, /^["']|["']$/, MARK],
  [/account/, /^(?:-|\+(?![\d\s()./-]+$))/, MARK],
  // Dutch and Afrikaans names start with 't, 's or 'n.
  [/name/, /^'(?![a-z]{1,2}[\s-])/, MARK + ', or write ’ in the name'],
  [/account/, /^(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+\.0+)$/, 'is formatted as a number' + AS_TEXT],
  [
    /account/,
    /(?![\p{Script=Latin}0-9])[\p{L}\p{N}\p{M}]/u,
    'contains letters or digits that are not Latin. Type it again',
  ],
];

/**
 * Checks the texts of a payment, by field, for damage on their way.
 *
 * @throws {ConfigurationError} (`not_sent`) with the first damaged field in `fields`. Contains no value.
 */
export function checkTexts(texts: Readonly<Record<string, string | undefined>>): void {
  for (const [field, text] of Object.entries(texts)) {
    const plain = text?.normalize('NFKC');
    const rule =
      plain &&
      rules.find(([fields, form]) => fields.test(field) && (form.test(plain) || form.test(plain.trim())));
    if (rule) throw createUsageError(`${field} ${rule[2]}.`, [{ field, message: `${rule[2]}.` }]);
  }
}
