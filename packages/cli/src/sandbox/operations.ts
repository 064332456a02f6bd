import generated from '../generated/operations.json' with { type: 'json' };

/** Values by name. */
export type Values = Readonly<Record<string, unknown>>;

/** The part of JSON Schema that the control API uses. */
export interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly (string | number)[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly pattern?: string;
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly examples?: readonly unknown[];
  /** The account without the field, unless it is that of the API key: all accounts, or the one that has the payment. */
  readonly 'x-default'?: 'all' | 'owner';
}

/** A field of an operation. */
export interface Field {
  readonly name: string;
  readonly place: 'path' | 'query' | 'body';
  readonly isRequired: boolean;
  readonly schema: Schema;
  /** The description in the document of the control API. */
  readonly description: string;
  /** An example for the help. Undefined for a field that the example does not need. */
  readonly example: unknown;
}

/** A list in a response. */
export interface ResponseList {
  /** The name of its field. */
  readonly name: string;
  /** The name of the schema of its items. Undefined if they have none. */
  readonly item: string | undefined;
  /** The names of the fields of its items. */
  readonly fields: readonly string[];
}

/** An operation of the control API, and its command. */
export interface Operation {
  readonly id: string;
  readonly method: string;
  /** Relative to `/_sandbox`, with placeholders in braces. */
  readonly path: string;
  readonly summary: string;
  readonly fields: readonly Field[];
  readonly hasResponseBody: boolean;
  /** The list in the response. Undefined without one. */
  readonly list: ResponseList | undefined;
  /** The names of the command and of its group: `clock advance`. Undefined for an operation without a command. */
  readonly command: string | undefined;
  /** The description of the group. */
  readonly groupDescription: string;
  /** Whether the request body comes from a file, or the response is printed as JSON. */
  readonly isDocument: boolean;
  /** Whether the output has unmasked keys and secrets. */
  readonly reveals: boolean;
}

/** All operations of the control API, which `npm run generate` derives from those of the mock. */
export const operations: readonly Operation[] = generated as object as readonly Operation[];

/** Returns the operation with an id. */
export function findOperation(id: string): Operation {
  const operation = operations.find((each) => each.id === id);
  if (operation === undefined) throw new Error(`The control API has no operation ${id}.`);
  return operation;
}

/**
 * Returns the fields that are arguments of the command: the path, and the required fields of the body. The account and
 * the key have options.
 */
export function listArguments({ fields }: Operation): readonly Field[] {
  return fields.filter(
    ({ name, place, isRequired }) => isRequired && place !== 'query' && name !== 'account' && name !== 'key',
  );
}

/** Returns whether the request body of an operation comes from a file. */
export function takesFile({ isDocument, fields }: Operation): boolean {
  return isDocument && fields.some(({ place }) => place === 'body');
}

/** Returns which account an operation has by default: that of the API key, all, or that of a payment. Undefined without an account. */
export function findDefaultAccount({ fields }: Operation): 'own' | 'all' | 'owner' | undefined {
  const field = fields.find(({ name }) => name === 'account');
  return field && (field.schema['x-default'] ?? 'own');
}
