/** A number that the service stores as a decimal and writes as a Python float, for example `100.0`. */
export class FloatNumber {
  readonly text: string;

  constructor(units: bigint, places: number) {
    const digits = (units < 0n ? -units : units).toString().padStart(places + 1, '0');
    const fraction = digits.slice(-places).replace(/0+$/, '');
    const sign = units < 0n ? '-' : '';
    this.text = `${sign}${digits.slice(0, -places)}.${fraction === '' ? '0' : fraction}`;
  }
}

export type JsonValue =
  | null
  | boolean
  | number
  | string
  | FloatNumber
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue };

/** Spaces and escapes of a JSON text. */
export interface JsonStyle {
  readonly comma: string;
  readonly colon: string;
  readonly isAscii: boolean;
}

/** Style of the response class of the framework. */
export const compactStyle: JsonStyle = { comma: ',', colon: ':', isAscii: false };
/** Style of `json.dumps` without arguments, which the webhook task uses. */
export const defaultStyle: JsonStyle = { comma: ', ', colon: ': ', isAscii: true };

export function formatJson(value: JsonValue, style: JsonStyle): string {
  if (value instanceof FloatNumber) return value.text;
  if (typeof value === 'string') return formatString(value, style);
  if (isArray(value)) return `[${value.map((item) => formatJson(item, style)).join(style.comma)}]`;
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).map(
      ([key, member]) => formatString(key, style) + style.colon + formatJson(member, style),
    );
    return `{${members.join(style.comma)}}`;
  }
  return String(value);
}

function isArray(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}

function formatString(text: string, { isAscii }: JsonStyle): string {
  const json = JSON.stringify(text);
  if (!isAscii) return json;
  return json.replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
