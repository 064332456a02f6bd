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

/** Schemas shorter than this stay where they are. */
const MIN_SHARED_LENGTH = 300;

/** The keywords between a property and the schemas of its values. */
const structural = /^(?:anyOf|allOf|items|additionalProperties|properties|not|schema)$/;

/** Moves each schema that a document has more than once to its components, so that it has each schema once. */
export function shareSchemas(document: Json): Json {
  const counts = new Map<string, number>();
  // A field can have the name `type`, too.
  const isSchema = (node: Json): boolean =>
    typeof node.type === 'string' || Array.isArray(node.type) || Array.isArray(node.anyOf);
  const walk = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    const text = JSON.stringify(node);
    if (isSchema(node as Json) && text.length >= MIN_SHARED_LENGTH) {
      counts.set(text, (counts.get(text) ?? 0) + 1);
      if (counts.get(text) !== 1) return;
    }
    for (const child of Object.values(node)) walk(child);
  };
  walk(document);
  const { schemas } = document.components as { schemas: Record<string, Json> };
  const names = new Map<string, string>(
    Object.entries(schemas).map(([name, schema]) => [JSON.stringify(schema), name]),
  );
  const shared: Record<string, unknown> = {};
  const replace = (node: unknown, key = '', isComponent = false): unknown => {
    if (typeof node !== 'object' || node === null) return node;
    if (Array.isArray(node)) return node.map((each) => replace(each, key));
    const text = JSON.stringify(node);
    const copy = (): object =>
      Object.fromEntries(
        Object.entries(node).map(([name, child]) => [
          name,
          replace(child, structural.test(name) ? key : name),
        ]),
      );
    if (isComponent || !((counts.get(text) ?? 0) > 1)) return copy();
    let name = names.get(text);
    if (name === undefined) {
      const base = key.replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
      const taken = new Set(names.values());
      name = Array.from({ length: 100 }, (_, index) => (index === 0 ? base : `${base}${index + 1}`)).find(
        (each) => !taken.has(each),
      );
      if (name === undefined) throw new Error(`No name is left for ${key}.`);
      names.set(text, name);
      shared[name] = copy();
    }
    return { $ref: `#/components/schemas/${name}` };
  };
  const own = Object.entries(schemas).map(([name, schema]) => [name, replace(schema, name, true)] as const);
  const { components, ...others } = document;
  const rest = replace(others) as Json;
  const all = { ...Object.fromEntries(own), ...shared };
  return {
    ...rest,
    components: { ...(replace({ ...(components as Json), schemas: {} }) as Json), schemas: all },
  };
}
