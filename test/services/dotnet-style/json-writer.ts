import { formatDecimal, moneyScale, rateScale, type Money } from './decimal.ts';

/** JSON number with a fixed number of decimal places. */
export class JsonDecimal {
  readonly text: string;

  constructor(units: bigint, scale: number) {
    this.text = formatDecimal({ units, scale });
  }
}

export type JsonValue = string | number | boolean | null | JsonDecimal | readonly JsonValue[] | JsonObject;

export interface JsonObject {
  readonly [name: string]: JsonValue;
}

export function writeMoney(amount: Money): JsonDecimal {
  return new JsonDecimal(amount, moneyScale);
}

export function writeRate(rate: bigint): JsonDecimal {
  return new JsonDecimal(rate, rateScale);
}

export function writeJson(value: JsonValue): string {
  if (value instanceof JsonDecimal) return value.text;
  if (typeof value === 'string') return writeString(value);
  if (value === null || typeof value !== 'object') return String(value);
  if (isArray(value)) return `[${value.map(writeJson).join(',')}]`;
  const properties = Object.entries(value).map(
    ([name, property]) => `${writeString(name)}:${writeJson(property)}`,
  );
  return `{${properties.join(',')}}`;
}

function isArray(value: readonly JsonValue[] | JsonObject): value is readonly JsonValue[] {
  return Array.isArray(value);
}

const shortEscapes: ReadonlyMap<string, string> = new Map([
  ['\b', '\\b'],
  ['\t', '\\t'],
  ['\n', '\\n'],
  ['\f', '\\f'],
  ['\r', '\\r'],
  ['\\', '\\\\'],
]);

/** Escapes like `JavaScriptEncoder.Default`: all characters outside ASCII and those that are special in HTML. */
function writeString(value: string): string {
  const escaped = value.replaceAll(
    /[^ -~]|["&'+<>`\\]/g,
    (character) =>
      shortEscapes.get(character) ??
      `\\u${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`,
  );
  return `"${escaped}"`;
}
