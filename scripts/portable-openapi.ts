// Derives an OpenAPI 3.0.3 document from openapi.yaml, for tools that do not read 3.1: no webhooks, no `const`, no lists of
// types, and every object of a response accepts additional fields, because some generators reject them otherwise.

interface Node {
  readonly [name: string]: unknown;
}

/** Converts an OpenAPI 3.1 document to 3.0.3. It describes the same requests, and accepts at least the same responses. */
export function toPortable(source: Node): Node {
  const { info, tags, paths, components, servers, security } = source as Record<string, Node>;
  const { summary: _, license, ...rest } = info as Node;
  const portable = convert({ servers, security, paths, components }, source) as Record<string, Node>;
  return {
    openapi: '3.0.3',
    info: { ...rest, license: { name: (license as Node).name, url: 'https://opensource.org/license/mit' } },
    tags: (tags as unknown as Node[]).filter(({ name }) => name !== 'Webhooks'),
    ...portable,
    components: openResponses(keepUsed(portable)),
  };
}

/** Adds `additionalProperties: true` to every object except those of requests. */
function openResponses({ schemas, ...components }: Record<string, Node>): Node {
  const opened = Object.entries(schemas as Record<string, Node>).map(([name, schema]) => [
    name,
    schema.type === 'object' && !name.endsWith('Request')
      ? { ...schema, additionalProperties: true }
      : schema,
  ]);
  return { ...components, schemas: Object.fromEntries(opened) };
}

function convert(node: unknown, source: Node): unknown {
  if (Array.isArray(node)) return node.map((item) => convert(item, source));
  if (!isNode(node)) return node;
  // 3.0 ignores the siblings of a reference.
  if (typeof node.$ref === 'string') return { $ref: node.$ref };
  const { const: _, ...rest } = resolveNull(node, source);
  return Object.fromEntries(
    Object.entries(rest).flatMap(([name, part]) => {
      if (name === 'example') return [[name, part]];
      if (name === 'exclusiveMinimum' && typeof part === 'number') {
        return [
          ['minimum', part],
          [name, true],
        ];
      }
      return [[name, convert(part, source)]];
    }),
  );
}

/** Replaces a union with null by `nullable`. A referenced schema is copied, because `nullable` needs a type beside it. */
function resolveNull(node: Node, source: Node): Node {
  const { anyOf, type, ...rest } = node;
  if (Array.isArray(type)) return { ...rest, type: type.find((each) => each !== 'null'), nullable: true };
  if (!Array.isArray(anyOf)) return node;
  const [{ $ref }] = anyOf as [{ readonly $ref: string }];
  return { ...resolve(source, $ref), ...rest, nullable: true };
}

function resolve(source: Node, reference: string): Node {
  const names = reference.slice(2).split('/');
  return names.reduce<Node>((node, name) => node[name] as Node, source);
}

/** Removes components that only the webhooks use. */
function keepUsed(document: Record<string, Node>): Record<string, Node> {
  const used = new Set<string>();
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    for (const [name, part] of Object.entries(node)) {
      if (name !== '$ref' || typeof part !== 'string') visit(part);
      else if (!used.has(part)) {
        used.add(part);
        visit(resolve(document, part));
      }
    }
  };
  visit(document.paths);
  const { securitySchemes, ...sections } = document.components as Record<string, Node>;
  const kept = Object.entries(sections).map(([section, parts]) => [
    section,
    Object.fromEntries(Object.entries(parts).filter(([name]) => used.has(`#/components/${section}/${name}`))),
  ]);
  return { securitySchemes, ...Object.fromEntries(kept) } as Record<string, Node>;
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null;
}
