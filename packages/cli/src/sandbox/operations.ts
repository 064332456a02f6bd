import { createRequire } from 'node:module';

/** Values by name. */
export type Values = Readonly<Record<string, unknown>>;

/** The part of JSON Schema that the control API uses. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly (string | number)[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly pattern?: string;
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  readonly description?: string;
  readonly examples?: readonly unknown[];
  /** Whether the field selects all accounts by default. */
  readonly 'x-default'?: 'all';
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

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly required: boolean;
  readonly description: string;
  readonly schema: Schema;
  readonly example?: unknown;
}

interface Content {
  readonly 'application/json'?: { readonly schema: Schema; readonly example?: object };
}

interface OperationObject {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly parameters?: readonly Parameter[];
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
  readonly requestBody?: { readonly content: Content };
  /** Undefined for an operation without a command. */
  readonly 'x-cli'?: { readonly command: string; readonly isDocument?: true; readonly reveals?: true };
}

interface Document {
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
}

/** Reads all operations from the OpenAPI document that `@service/mock` exports. */
export function readOperations(): readonly Operation[] {
  const document = createRequire(import.meta.url)('@service/mock/sandbox.openapi.json') as Document;
  const { paths, tags } = document;
  const descriptions = new Map(tags.map(({ name, description }) => [name, description]));
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, operation]) => {
      const { command, isDocument = false, reveals = false } = operation['x-cli'] ?? {};
      const inputs = resolveReferences({ ...operation, responses: {} }, document);
      const success = Object.values(operation.responses).find(({ content }) => content !== undefined);
      return {
        id: operation.operationId,
        method: method.toUpperCase(),
        path,
        summary: operation.summary,
        fields: [...readParameters(inputs), ...readBody(inputs)],
        hasResponseBody: success !== undefined,
        list: findList(document, success?.content?.['application/json']?.schema),
        command,
        groupDescription: operation.tags.map((tag) => descriptions.get(tag)).join(' '),
        isDocument,
        reveals,
      };
    }),
  );
}

/** Replaces each reference to a component by the component. */
function resolveReferences<T>(node: T, document: Document): T {
  if (typeof node !== 'object' || node === null) return node;
  if (Array.isArray(node)) return node.map((each: unknown) => resolveReferences(each, document)) as T;
  const { $ref, ...rest } = node as { readonly $ref?: string };
  const found = $ref === undefined ? {} : document.components.schemas[$ref.split('/').at(-1) ?? ''];
  const entries = Object.entries({ ...found, ...rest });
  return Object.fromEntries(entries.map(([name, each]) => [name, resolveReferences(each, document)])) as T;
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

function findList({ components }: Document, { properties = {} }: Schema = {}): ResponseList | undefined {
  const [name, list] = Object.entries(properties).find(([, { type }]) => type === 'array') ?? [];
  if (name === undefined) return undefined;
  const item = list?.items?.$ref?.split('/').at(-1);
  const schema = item === undefined ? list?.items : components.schemas[item];
  return { name, item, fields: Object.keys(schema?.properties ?? {}) };
}

/** Returns whether the request body of an operation comes from a file. */
export function takesFile({ isDocument, fields }: Operation): boolean {
  return isDocument && fields.some(({ place }) => place === 'body');
}

/** Returns which account an operation has by default: that of the API key, or all. Undefined without an account. */
export function findDefaultAccount({ fields }: Operation): 'own' | 'all' | undefined {
  const field = fields.find(({ name }) => name === 'account');
  return field && (field.schema['x-default'] ?? 'own');
}

function readParameters({ parameters = [] }: OperationObject): Field[] {
  return parameters.map(({ name, in: place, required: isRequired, description, schema, example }) => ({
    name,
    place,
    isRequired,
    schema,
    description,
    example: example ?? (isRequired ? schema.examples?.[0] : undefined),
  }));
}

function readBody({ requestBody }: OperationObject): Field[] {
  const { schema = {}, example = {} } = requestBody?.content['application/json'] ?? {};
  return Object.entries(schema.properties ?? {}).map(([name, field]) => ({
    name,
    place: 'body',
    isRequired: schema.required?.includes(name) ?? false,
    schema: field,
    description: field.description ?? name,
    example: (example as Readonly<Record<string, unknown>>)[name],
  }));
}
