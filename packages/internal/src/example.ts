/**
 * JSON whose texts can have placeholders, such as `'{amount negative cents}'` or `'TX-{number}'`. `'{{'` is a brace.
 * Everything else is a constant.
 */
export type Example = string | number | boolean | null | readonly Example[] | ObjectExample;

/** A JSON object with placeholders, such as `{ id: '{id}', memo: '{purpose}' }`. */
export interface ObjectExample {
  readonly [field: string]: Example;
}

/** A part of a text that is replaced by a value. */
export interface Placeholder {
  readonly name: string;
  readonly forms: readonly string[];
}

/** Splits a text into constants and placeholders. */
export function splitText(text: string): readonly (string | Placeholder)[] {
  const parts = text.split(/(\{\{|\{[^{}]*\})/).filter((part) => part !== '');
  return parts.map((part) => {
    if (part === '{{') return '{';
    if (!/^\{.*\}$/s.test(part)) return part;
    const [name = '', ...forms] = part.slice(1, -1).trim().split(/ +/);
    return { name, forms };
  });
}
