import { isRecord, type JsonObject, toRecord } from '@service/internal';

/** Values by name. */
export type Values = Readonly<Record<string, unknown>>;

/** The part of JSON Schema that the commands read. */
export interface Schema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  /** The account without the field, unless it is that of the API key. */
  readonly 'x-default'?: 'all';
}

/** A field of an operation. */
export interface Field {
  readonly name: string;
  readonly place: 'path' | 'query' | 'body';
  readonly isRequired: boolean;
  readonly schema: Schema;
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
  /** The schema of the response. Undefined if it has no body. */
  readonly response: Schema | undefined;
  /** The words of the command, such as `clock advance`. Undefined for an operation without a command. */
  readonly command: string | undefined;
  /** Whether the request body is a file, or the response is printed as JSON. */
  readonly isDocument: boolean;
  /** Whether the response has new keys or secrets, which are printed unmasked. */
  readonly reveals: boolean;
}

/** The document of a control API: its operations, and its schemas. */
export interface ControlDocument {
  readonly operations: readonly Operation[];
  /** Returns a schema, or the one that it refers to, with the name of that one. */
  readonly resolve: (schema: Schema | undefined) => Schema & { readonly name?: string };
}

/** Reads the OpenAPI document of a control API. Returns undefined for anything else. */
export function readDocument(json: unknown): ControlDocument | undefined {
  const { openapi, paths, components } = toRecord(json);
  if (typeof openapi !== 'string' || !isRecord(paths) || !isRecord(paths['/health'])) return undefined;
  const schemas = toRecord(toRecord(components).schemas);
  const resolve: ControlDocument['resolve'] = (schema = {}) => {
    const [, name] = /^#\/components\/schemas\/(\w+)$/.exec(String(toRecord(schema).$ref)) ?? [];
    return name === undefined ? schema : { ...toRecord(schemas[name]), ...schema, name };
  };
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(toRecord(item)).map(([method, operation]) =>
      readOperation(method.toUpperCase(), path, toRecord(operation), resolve),
    ),
  );
  return { operations, resolve };
}

function readOperation(
  method: string,
  path: string,
  operation: JsonObject,
  resolve: ControlDocument['resolve'],
): Operation {
  const { operationId, summary, parameters, requestBody, responses, 'x-cli': cli } = operation;
  const { command, isDocument, reveals } = toRecord(cli);
  const { required, properties } = toRecord(resolve(findSchema(requestBody)));
  const toField = (
    name: string,
    place: Field['place'],
    isRequired: boolean,
    given: unknown,
    text?: unknown,
  ): Field => {
    const schema = resolve(toRecord(given));
    const description = typeof text === 'string' ? text : (schema.description ?? '');
    return { name, place, isRequired, schema, description };
  };
  return {
    id: String(operationId),
    method,
    path,
    summary: String(summary),
    fields: [
      ...toRows(parameters).map((each) =>
        toField(
          String(each.name),
          each.in === 'path' ? 'path' : 'query',
          each.required === true,
          each.schema,
          each.description,
        ),
      ),
      ...Object.entries(toRecord(properties)).map(([name, schema]) =>
        toField(name, 'body', Array.isArray(required) && required.includes(name), schema),
      ),
    ],
    response: Object.values(toRecord(responses)).map(findSchema).find(Boolean),
    command: typeof command === 'string' ? command : undefined,
    isDocument: isDocument === true,
    reveals: reveals === true,
  };
}

/** Returns the JSON schema of a request body or a response. */
function findSchema(part: unknown): Schema | undefined {
  const { 'application/json': media } = toRecord(toRecord(part).content);
  const { schema } = toRecord(media);
  return isRecord(schema) ? schema : undefined;
}

/** Returns the objects in a list. */
export function toRows(list: unknown): JsonObject[] {
  return Array.isArray(list) ? list.filter(isRecord) : [];
}

/** Returns whether the request body of an operation is a file. */
export function takesFile({ isDocument, fields }: Operation): boolean {
  return isDocument && fields.some(({ place }) => place === 'body');
}
