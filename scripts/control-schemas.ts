// The schemas of the control API with the doc comments of `Sandbox`.
import type { JsonSchema } from '../packages/mock/src/domain/value.ts';
import type { Documented } from './control-comments.ts';

/** A JSON object. */
export type Json = Record<string, unknown>;

/** A JSON schema, with the keywords that doc comments extend. */
export type Schema = JsonSchema & {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly description?: string;
  readonly examples?: readonly unknown[];
  readonly enum?: readonly unknown[];
  readonly title?: string;
};

/** Returns the doc comment of a property with its default. `own` replaces an absent comment. */
export function describeMember(member: Documented | undefined, own: string): string {
  const { text = '', fallback } = member?.doc ?? {};
  const shown = text === '' ? own : text;
  if (fallback === undefined) return shown;
  return `${shown.replace(/[^.]$/, '$&.')} Default: ${fallback}.`.trim();
}

/** Adds the doc comments of a type to the properties of a schema. */
export function annotate(schema: Schema, type: Documented | undefined): Schema {
  if (type === undefined) return schema;
  const { properties, items, anyOf } = schema;
  return {
    ...schema,
    ...(properties !== undefined && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, each]) => {
          const member = type.property(name);
          const text = describeMember(member, each.description ?? '');
          return [name, { ...annotate(each, member), ...(text !== '' && { description: text }) }];
        }),
      ),
    }),
    ...(items !== undefined && { items: annotate(items, type.item()) }),
    ...(anyOf !== undefined && { anyOf: anyOf.map((each) => annotate(each, type)) }),
  };
}

/** Adds doc comments to a body that contains the result in one of its fields. */
export function annotateWrapped(
  { properties = {}, ...schema }: Schema,
  result: Documented | undefined,
): Schema {
  const annotated = Object.entries(properties).map(([name, each]) => [name, annotate(each, result)] as const);
  return { ...schema, properties: Object.fromEntries(annotated) };
}

/** Moves the schemas with a title to the components of the document, or to another place. */
export function hoist(node: unknown, schemas: Record<string, Json>, place = '#/components/schemas'): Json {
  if (Array.isArray(node)) return node.map((each) => hoist(each, schemas, place)) as never;
  if (typeof node !== 'object' || node === null) return node as never;
  const { title, ...rest }: Json = Object.fromEntries(
    Object.entries(node).map(([name, each]) => [name, hoist(each, schemas, place)]),
  );
  if (typeof title !== 'string') return title === undefined ? rest : { title, ...rest };
  const { description, ...schema } = rest;
  schemas[title] ??= schema;
  return { $ref: `${place}/${title}`, ...(description !== undefined && { description }) };
}
