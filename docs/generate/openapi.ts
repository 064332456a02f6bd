// The parts of an OpenAPI document.

interface Ref {
  readonly $ref?: string;
}
/** A schema of OpenAPI 3.1, with the keywords that the documents of this repository use. */
export interface Schema extends Ref {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly format?: string;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly default?: unknown;
  readonly example?: unknown;
  readonly examples?: readonly unknown[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema | false>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly 'x-extensible-enum'?: readonly unknown[];
  readonly 'x-unspecified'?: string | readonly string[];
}
/** The body of a media type. */
export interface Content {
  readonly schema?: Schema;
  readonly example?: unknown;
}
/** A parameter of an operation. */
export interface Parameter extends Ref {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
  readonly example?: unknown;
  readonly 'x-unspecified'?: string | readonly string[];
}
/** A response of an operation. */
export interface Response extends Ref {
  readonly description: string;
  readonly headers?: Readonly<Record<string, Ref & { readonly description?: string }>>;
  readonly content?: Readonly<Record<string, Content>>;
  readonly 'x-unspecified'?: string | readonly string[];
}
/** An operation of a document. */
export interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly parameters?: readonly (Parameter | Ref)[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Readonly<Record<string, Content>> };
  readonly responses: Readonly<Record<string, Response | Ref>>;
  readonly 'x-unspecified'?: string | readonly string[];
}
/** An OpenAPI document. */
export interface OpenApi {
  readonly info: { readonly title: string; readonly description: string };
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly webhooks?: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly securitySchemes?: Readonly<
      Record<string, Schema & { readonly scheme?: string; readonly name?: string }>
    >;
  };
}

/** An operation with its method and path. A webhook has no path. */
export interface Route {
  readonly method: string;
  readonly path: string | undefined;
  readonly operation: Operation;
}

/** Returns the operations of a document in order, webhooks last. */
export function listRoutes({ paths, webhooks = {} }: OpenApi): Route[] {
  const list = (items: OpenApi['paths'], isWebhook: boolean): Route[] =>
    Object.entries(items).flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]) => ({
        method: method.toUpperCase(),
        path: isWebhook ? undefined : path,
        operation,
      })),
    );
  return [...list(paths, false), ...list(webhooks, true)];
}

/** Returns the settings in `x-unspecified`. */
export function listSettings(node: { readonly 'x-unspecified'?: string | readonly string[] }): string[] {
  return [node['x-unspecified'] ?? []].flat();
}

/** Resolves a reference within the document. */
export function resolve<Node extends object>(document: OpenApi, node: Node | Ref): Node {
  const { $ref, ...own } = node as Ref;
  if ($ref === undefined) return node as Node;
  const parts = $ref.replace('#/', '').split('/');
  const found = parts.reduce<unknown>((at, part) => (at as Record<string, unknown>)[part], document);
  return { ...resolve(document, found as Node), ...own };
}
