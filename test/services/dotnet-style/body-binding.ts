import { parseDecimal, type Decimal } from './decimal.ts';
import { JsonException, JsonReader } from './json-reader.ts';
import { ModelState } from './model-state.ts';
import { createValidationProblem } from './problems.ts';
import { validateProperty, type ValidatedProperty } from './validation.ts';

interface BodyTypes {
  readonly string: string;
  readonly decimal: Decimal;
}

export interface BodyProperty extends ValidatedProperty {
  readonly type: keyof BodyTypes;
}

export type BodySchema = Readonly<Record<string, BodyProperty>>;

/** Request contract: properties by their JSON name. */
export interface BodyContract<Schema extends BodySchema> {
  readonly typeName: string;
  readonly properties: Schema;
}

export type BoundBody<Schema extends BodySchema> = {
  readonly [Name in keyof Schema]: BodyTypes[Schema[Name]['type']] | null;
};

const typeNames: Readonly<Record<keyof BodyTypes, string>> = {
  string: 'System.String',
  decimal: 'System.Nullable`1[System.Decimal]',
};

/**
 * Deserializes and validates a request body.
 *
 * @throws {ApiProblem} when the body is not JSON of the contract, or breaks a validation attribute.
 */
export function bindBody<Schema extends BodySchema>(
  contract: BodyContract<Schema>,
  text: string,
): BoundBody<Schema> {
  const modelState = new ModelState();
  const body = deserialize(contract, text, modelState);
  if (body === undefined) {
    modelState.add('request', 'The request field is required.');
    throw createValidationProblem(modelState);
  }
  for (const [name, property] of Object.entries(contract.properties)) {
    validateProperty(modelState, name, property, body.get(name) ?? null);
  }
  if (!modelState.isValid) throw createValidationProblem(modelState);
  return Object.fromEntries(
    Object.keys(contract.properties).map((name) => [name, body.get(name) ?? null]),
  ) as BoundBody<Schema>;
}

function deserialize(
  { typeName, properties }: BodyContract<BodySchema>,
  text: string,
  modelState: ModelState,
): Map<string, string | Decimal | null> | undefined {
  if (text === '') {
    modelState.add('', 'A non-empty request body is required.');
    return undefined;
  }
  const reader = new JsonReader(text);
  const values = new Map<string, string | Decimal | null>();
  try {
    const { kind } = reader.readToken();
    if (kind === 'null') {
      reader.expectEnd();
      modelState.add('', 'A non-empty request body is required.');
      return undefined;
    }
    if (kind !== 'object') failConversion(reader, typeName);
    reader.readMembers((name) => {
      // JsonSerializerDefaults.Web matches property names without regard to case.
      const property = properties[name.toLowerCase()];
      if (property === undefined) reader.skipValue();
      else values.set(name.toLowerCase(), readValue(reader, property.type));
    });
    reader.expectEnd();
    return values;
  } catch (error) {
    if (!(error instanceof JsonException)) throw error;
    modelState.add(error.path, error.message);
    return undefined;
  }
}

function readValue(reader: JsonReader, type: keyof BodyTypes): string | Decimal | null {
  const token = reader.readToken();
  if (token.kind === 'null') return null;
  const isText = token.kind === 'string' && !/\p{Surrogate}/u.test(token.text);
  if (isText && type === 'string') return token.text;
  if (token.kind === 'number' && type === 'decimal') {
    const decimal = parseDecimal(token.text);
    if (decimal !== undefined) return decimal;
  }
  return failConversion(reader, typeNames[type]);
}

function failConversion(reader: JsonReader, typeName: string): never {
  return reader.fail(`The JSON value could not be converted to ${typeName}.`);
}
