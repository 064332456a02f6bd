import { createRequire } from 'node:module';

/** The part of JSON Schema that the fields of the control API use. */
export interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly (string | number)[];
  readonly const?: string | number;
  readonly pattern?: string;
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | false;
  readonly description?: string;
}

/** A field of an operation. */
export interface Field {
  readonly name: string;
  readonly place: 'path' | 'query' | 'body';
  readonly isRequired: boolean;
  readonly schema: Schema;
  /** The description in the document of the control API. */
  readonly description: string;
}

/** An operation of the control API. */
export interface Operation {
  readonly id: string;
  readonly method: string;
  /** Relative to `/_sandbox`, with placeholders in braces. */
  readonly path: string;
  readonly summary: string;
  readonly fields: readonly Field[];
  /** Whether a successful response has a body. */
  readonly hasResponseBody: boolean;
}

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly required: boolean;
  readonly description?: string;
  readonly schema: Schema;
}

interface OperationObject {
  readonly operationId: string;
  readonly summary: string;
  readonly parameters?: readonly Parameter[];
  readonly responses: Readonly<Record<string, { readonly content?: object }>>;
  readonly requestBody?: {
    readonly content: {
      readonly 'application/json': { readonly schema: Schema & { readonly required?: readonly string[] } };
    };
  };
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
}

/** Reads all operations from the OpenAPI document that `@service/mock` exports. */
export function readOperations(): readonly Operation[] {
  const { paths } = createRequire(import.meta.url)('@service/mock/sandbox.openapi.json') as Document;
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      id: operation.operationId,
      method: method.toUpperCase(),
      path,
      summary: operation.summary,
      fields: [...readParameters(operation), ...readBody(operation)],
      hasResponseBody: Object.values(operation.responses).some(({ content }) => content !== undefined),
    })),
  );
}

/**
 * Returns the operation with an id.
 *
 * @throws {Error} when the document has no such operation.
 */
export function findOperation(id: string): Operation {
  const found = readOperations().find((operation) => operation.id === id);
  if (found !== undefined) return found;
  throw new Error(`The control API has no operation ${id}.`);
}

function readParameters({ parameters = [] }: OperationObject): Field[] {
  return parameters.map(({ name, in: place, required, description, schema }) => ({
    name,
    place,
    isRequired: required,
    schema,
    description: description ?? name,
  }));
}

function readBody({ requestBody }: OperationObject): Field[] {
  const { properties = {}, required = [] } = requestBody?.content['application/json'].schema ?? {};
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    place: 'body',
    isRequired: required.includes(name),
    schema,
    description: schema.description ?? name,
  }));
}
