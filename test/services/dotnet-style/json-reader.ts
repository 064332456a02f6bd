/** Error of the JSON reader or of a conversion, with the path as key of the model state. */
export class JsonException extends Error {
  readonly path: string;

  constructor(message: string, path: string, position: JsonPosition) {
    super(`${message} Path: ${path} | LineNumber: ${position.line} | BytePositionInLine: ${position.byte}.`);
    this.path = path;
  }
}

interface JsonPosition {
  readonly line: number;
  readonly byte: number;
}

export type JsonToken =
  | { readonly kind: 'string' | 'number'; readonly text: string }
  | { readonly kind: 'true' | 'false' | 'null' | 'object' | 'array' };

const maxDepth = 32;
const numberPattern = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const literals = ['true', 'false', 'null'] as const;
const unclosed =
  'Expected depth to be zero at the end of the JSON payload. There is an open JSON object or array that should be closed.';

/** Forward-only reader of one JSON value, with the strictness and the messages of `Utf8JsonReader`. */
export class JsonReader {
  readonly #text: string;
  #index = 0;
  /** Path of the current property. */
  path = '$';

  constructor(text: string) {
    this.#text = text;
  }

  fail(message: string): never {
    const lines = this.#text.slice(0, this.#index).split('\n');
    const position = { line: lines.length - 1, byte: Buffer.byteLength(lines.at(-1) ?? '') };
    throw new JsonException(message, this.path, position);
  }

  /** Reads a scalar value, or the opening bracket of an object or an array. */
  readToken(): JsonToken {
    const character = this.#peek();
    if (character === '"') return { kind: 'string', text: this.#readString() };
    if (character === '{' || character === '[') {
      this.#index += 1;
      return { kind: character === '{' ? 'object' : 'array' };
    }
    if (/[-\d]/.test(character)) return { kind: 'number', text: this.#readNumber() };
    const literal = literals.find((candidate) => candidate.startsWith(character));
    if (literal === undefined || character === '') {
      return this.fail(
        character === ''
          ? 'The input does not contain any JSON tokens. Expected the input to start with a valid JSON token, when isFinalBlock is true.'
          : `'${character}' is an invalid start of a value.`,
      );
    }
    if (!this.#text.startsWith(literal, this.#index)) {
      const found = /\w+/.exec(this.#text.slice(this.#index))?.[0] ?? character;
      return this.fail(`'${found}' is an invalid JSON literal. Expected the literal '${literal}'.`);
    }
    this.#index += literal.length;
    return { kind: literal };
  }

  /** Reads the members of an object after its opening bracket. `readValue` must consume the value. */
  readMembers(readValue: (name: string) => void): void {
    if (this.#peek() === '}') {
      this.#index += 1;
      return;
    }
    for (;;) {
      this.#expectPropertyName();
      const name = this.#readString();
      const separator = this.#peek();
      if (separator !== ':') {
        this.fail(`'${separator}' is invalid after a property name. Expected a ':'.`);
      }
      this.#index += 1;
      const parent = this.path;
      this.path = /^\w+$/.test(name) ? `${parent}.${name}` : `${parent}['${name}']`;
      readValue(name);
      const isLast = this.#readDelimiter('}');
      this.path = parent;
      if (isLast) return;
    }
  }

  /** Consumes a value that no member of the model takes. */
  skipValue(depth = 1): void {
    this.skipRest(this.readToken(), depth);
  }

  /** Consumes the remainder of an object or an array after its opening bracket. */
  skipRest({ kind }: JsonToken, depth = 1): void {
    if (kind !== 'object' && kind !== 'array') return;
    if (depth >= maxDepth) {
      this.fail(
        `The maximum configured depth of ${maxDepth} has been exceeded. Cannot read next JSON ${kind}.`,
      );
    }
    if (kind === 'object') {
      this.readMembers(() => this.skipValue(depth + 1));
    } else if (this.#peek() === ']') {
      this.#index += 1;
    } else {
      do this.skipValue(depth + 1);
      while (!this.#readDelimiter(']'));
    }
  }

  expectEnd(): void {
    const character = this.#peek();
    if (character === '') return;
    this.fail(`'${character}' is invalid after a single JSON value. Expected end of data.`);
  }

  #peek(): string {
    while (/[ \t\r\n]/.test(this.#text.charAt(this.#index))) this.#index += 1;
    return this.#text.charAt(this.#index);
  }

  #expectPropertyName(): void {
    const character = this.#peek();
    if (character === '') this.fail(unclosed);
    if (character === '"') return;
    this.fail(
      character === '}'
        ? 'The JSON object contains a trailing comma at the end which is not supported in this mode. Change the reader options.'
        : `'${character}' is an invalid start of a property name. Expected a '"'.`,
    );
  }

  /** Reads a comma or the closing bracket. Returns whether it was the closing bracket. */
  #readDelimiter(closing: '}' | ']'): boolean {
    const character = this.#peek();
    if (character === '') this.fail(unclosed);
    if (character !== ',' && character !== closing) {
      this.fail(`'${character}' is invalid after a value. Expected either ',', '}', or ']'.`);
    }
    this.#index += 1;
    return character === closing;
  }

  #readNumber(): string {
    numberPattern.lastIndex = this.#index;
    const number = numberPattern.exec(this.#text)?.[0] ?? '';
    this.#index += number.length;
    const next = this.#text.charAt(this.#index);
    if (number === '' || !/^[\s,}\]]?$/.test(next)) {
      this.fail(`'${next}' is an invalid end of a number. Expected a delimiter.`);
    }
    return number;
  }

  #readString(): string {
    let end = this.#index + 1;
    for (; this.#text.charAt(end) !== '"'; end += 1) {
      const character = this.#text.charAt(end);
      if (character === '' || character < ' ') {
        this.#index = end;
        this.fail(
          character === ''
            ? 'Expected end of string, but instead reached end of data.'
            : `'0x${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}' is invalid within a JSON string. The string should be correctly escaped.`,
        );
      }
      if (character === '\\') {
        const escape = /^(?:["\\/bfnrt]|u[\da-fA-F]{4})/.exec(this.#text.slice(end + 1, end + 6));
        if (escape === null) {
          this.#index = end + 1;
          const found = this.#text.charAt(end + 1);
          this.fail(
            `'${found}' is an invalid escapable character within a JSON string. The string should be correctly escaped.`,
          );
        }
        end += escape[0].length;
      }
    }
    const literal = this.#text.slice(this.#index, end + 1);
    this.#index = end + 1;
    return String(JSON.parse(literal));
  }
}
