/** The part of `JSON` in Node 24 that the type library does not declare yet. */
interface ExactJson {
  parse(
    text: string,
    reviver: (key: string, value: unknown, context: { source?: string }) => unknown,
  ): unknown;
  rawJSON(text: string): unknown;
}

const exactJson = JSON as unknown as ExactJson;

/** A number of a request as it was written. */
export class JsonNumber {
  readonly source: string;

  constructor(source: string) {
    this.source = source;
  }
}

/**
 * Parses JSON without losing digits of numbers.
 * @throws {SyntaxError} when the text is no JSON
 */
export function parseExactly(text: string): unknown {
  return exactJson.parse(text, (_key, value, { source }) =>
    typeof value === 'number' ? new JsonNumber(source ?? String(value)) : value,
  );
}

/** Returns a value that `JSON.stringify` writes as the text. */
export function rawJson(text: string): unknown {
  return exactJson.rawJSON(text);
}
