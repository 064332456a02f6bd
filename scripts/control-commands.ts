// The commands of `service-cli sandbox` from the document of the control API.
import type { Schema } from './control-types.ts';

type Json = Record<string, unknown>;

/** Returns the operations as the command line needs them: fields with schemas that one line of text can match. */
export function listCommands(document: Json): Json[] {
  const { schemas } = document['components'] as { readonly schemas: Readonly<Record<string, Schema>> };
  const nameOf = (schema: Schema | undefined): string | undefined =>
    (schema?.['$ref'] as string | undefined)?.split('/')[3];
  /** Follows references, and leaves out what is inside of objects inside of a field. */
  const flatten = (given: Schema, depth = 0): Schema => {
    const { $ref: _, description, examples, ...schema } = { ...schemas[nameOf(given) ?? ''], ...given };
    const { properties, ...rest } = schema;
    const inner =
      properties === undefined || depth > 0
        ? undefined
        : Object.fromEntries(Object.entries(properties).map(([name, each]) => [name, flatten(each, 1)]));
    const { anyOf, items, additionalProperties } = rest as Schema & { additionalProperties?: Schema };
    return {
      ...rest,
      ...(depth === 0 && description !== undefined && { description }),
      ...(depth === 0 && examples !== undefined && { examples }),
      ...(inner !== undefined && { properties: inner }),
      ...(anyOf !== undefined && { anyOf: anyOf.map((each) => flatten(each, 1)) }),
      ...(items !== undefined && { items: flatten(items, 1) }),
      ...(typeof additionalProperties === 'object' && {
        additionalProperties: flatten(additionalProperties, 1),
      }),
    };
  };
  const tags = new Map(
    (document['tags'] as { name: string; description: string }[]).map((tag) => [tag.name, tag]),
  );
  return Object.entries(document['paths'] as Record<string, Record<string, DocumentedOperation>>).flatMap(
    ([path, item]) =>
      Object.entries(item).map(([method, { operationId, summary, ...operation }]) => {
        const { command, isDocument = false, reveals = false } = operation['x-cli'] ?? {};
        const body = operation.requestBody?.content['application/json'];
        const bodySchema = { ...schemas[nameOf(body?.schema) ?? ''], ...body?.schema };
        const success = Object.values(operation.responses).find(({ content }) => content !== undefined);
        const { properties = {} } = success?.content?.['application/json'].schema ?? {};
        const [name, list] = Object.entries(properties).find(([, { type }]) => type === 'array') ?? [];
        const rowName = nameOf(list?.items);
        const rows = schemas[rowName ?? ''] ?? list?.items;
        const parameters = (operation.parameters ?? []).map(({ in: place, required, schema, ...field }) => ({
          ...field,
          place,
          isRequired: required,
          schema: flatten(schema),
          example: field.example ?? (required ? schema.examples?.[0] : undefined),
        }));
        const fields = Object.entries(bodySchema.properties ?? {}).map(([field, schema]) => ({
          name: field,
          place: 'body',
          isRequired: (bodySchema['required'] as string[] | undefined)?.includes(field) ?? false,
          schema: isDocument ? {} : flatten(schema),
          description: flatten(schema).description ?? field,
          example: body?.example?.[field],
        }));
        return {
          id: operationId,
          method: method.toUpperCase(),
          path,
          summary,
          fields: [...parameters, ...fields],
          hasResponseBody: success !== undefined,
          ...(name !== undefined && {
            list: { name, item: rowName, fields: Object.keys(rows?.properties ?? {}) },
          }),
          command,
          groupDescription: operation.tags.map((tag) => tags.get(tag)?.description).join(' '),
          isDocument,
          reveals,
        };
      }),
  );
}

interface DocumentedOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required: boolean;
    readonly description: string;
    readonly schema: Schema;
    readonly example?: unknown;
  }[];
  readonly requestBody?: { readonly content: DocumentedContent };
  readonly responses: Readonly<Record<string, { readonly content?: DocumentedContent }>>;
  readonly 'x-cli'?: { readonly command: string; readonly isDocument?: true; readonly reveals?: true };
}

interface DocumentedContent {
  readonly 'application/json': { readonly schema: Schema; readonly example?: Json };
}
