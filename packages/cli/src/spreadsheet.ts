const AS_TEXT = '. Format the column as text, and export it again';
const EXPONENT = 'is a number in exponent form, so digits of it are lost' + AS_TEXT;
const MARK = 'has the formula or text mark of a spreadsheet' + AS_TEXT;

/** A form of a cell or an option that is an error, its problem, and the columns in which it is one: all by default. */
type Rule = readonly [form: RegExp, problem: string, columns?: RegExp];

/** The forms that a spreadsheet gives to texts when it saves a file, also if they are copied from it. */
const rules: readonly Rule[] = [
  [
    /^(?:#+|#[¡¿]?\p{Lu}[\p{Lu}\d/_]*[!?]|#\p{L}\/\p{L}!?|#(?:NV|NA|YOK|HIÁNYZIK|GETTING_DATA)|Err:\d{3})$/u,
    'is an error value or the filling of a spreadsheet cell. Correct the cell',
  ],
  [/^["']?[+-]?\d+(?:[.,]\d*)?E[+-]?\d+["']?$/i, EXPONENT, /reference|account|name/],
  [/^\d[.,]\d+E\+\d+$/i, EXPONENT],
  [
    // A phone number can be an account: +49-30-1234 is no formula.
    /^(?:=|[+@-]\$?[A-Z]{1,3}\$?\d+(?:$|[^\w\s.])|[+@-]\w*[(|!]|-\d[\d.,]*[-+*/^]|\+\d[\d.,]*[+*/^])/i,
    MARK,
    /reference|account|name/,
  ],
  [/^["']|["']$/, MARK, /reference|account/],
  [/^(?:-.*[\p{L}\p{N}]|\+(?![\d\s()./-]+$))/u, MARK, /account/],
  // Dutch and Afrikaans names start with 't, 's or 'n.
  [/^'(?![a-z]{1,2}[\s-])/, MARK + ', or write ’ in the name', /name/],
  [/^(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+\.0+)$/, 'is formatted as a number' + AS_TEXT, /account/],
];

/** The columns with a format of their own. */
const formatted = /^(?:amount|from|to)$/;

/** Returns the problem of the first text of a payment that a spreadsheet damaged. Contains no part of the text. */
export function findDamage(cells: Readonly<Record<string, string | undefined>>): string | undefined {
  for (const [column, cell] of Object.entries(cells)) {
    if (!cell || formatted.test(column)) continue;
    const forms = [cell.normalize(), cell.normalize('NFKC').trim()];
    const isMatch = ([form, , columns]: Rule): boolean =>
      (columns?.test(column) ?? true) && forms.some((one) => form.test(one));
    const problem = rules.find(isMatch)?.[1];
    if (problem) return `${column} ${problem}.`;
  }
  return undefined;
}
