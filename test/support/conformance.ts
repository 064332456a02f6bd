// Checks responses against openapi.yaml: status, headers, body, no undocumented fields, and the keywords in `x-decided`.
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import published from '@service/contract/openapi.json' with { type: 'json' };

interface Node {
  readonly [field: string]: unknown;
}
interface Header {
  readonly required?: boolean;
  readonly schema: Node;
}
interface DocumentedResponse {
  readonly headers?: Record<string, Header>;
  readonly content?: { readonly 'application/json': { readonly schema: Node } };
}

/** The checked parts of a response. */
export interface CheckedResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** Adds the restrictions of the mock: the keywords in `x-decided`, closed lists, and no undocumented fields in an object. */
function restrict(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(restrict);
  if (typeof node !== 'object' || node === null) return node;
  const parts = Object.entries(node).map(([name, part]) => [name, restrict(part)]);
  const { 'x-decided': decided, 'x-extensible-enum': known, ...rest } = Object.fromEntries(parts) as Node;
  const keywords = Array.isArray(decided) ? {} : (decided as Node | undefined);
  const isClosed = 'properties' in rest && rest.type === 'object';
  return {
    ...(isClosed && { additionalProperties: false }),
    ...rest,
    ...keywords,
    ...(known !== undefined && { enum: known }),
  };
}

/** Returns a document with the restrictions of the mock, and the function that lists the deviations from its schemas. */
export function compileDocument<Document extends object>(id: string, source: Document) {
  const document = restrict(source) as Document;
  const options = {
    strict: false,
    allErrors: true,
    validateSchema: false,
    formats: { double: true },
  } as const;
  const ajv = new Ajv2020(options);
  ajv.addSchema({ $id: id, ...document });
  const validators = new Map<string, ValidateFunction>();
  const validate = (schema: Node, value: unknown): string[] => {
    const key = JSON.stringify(schema);
    const absolute = '$ref' in schema ? { $ref: `${id}${String(schema.$ref)}` } : schema;
    const validator = validators.get(key) ?? ajv.compile(absolute);
    validators.set(key, validator);
    if (validator(value)) return [];
    return (validator.errors ?? []).map((error) => `${error.instancePath || 'value'} ${error.message}`);
  };
  return { document, validate };
}

const { document, validate } = compileDocument('openapi.json', published);

/** Resolves a `$ref` within the document. */
function resolve(node: unknown): unknown {
  const { $ref } = node as { $ref?: string };
  if ($ref === undefined) return node;
  return $ref
    .slice(2)
    .split('/')
    .reduce<unknown>((part, name) => (part as Node)[name], document);
}

function findOperation(method: string, path: string): Record<string, unknown> | undefined {
  const paths = document.paths as Record<string, Record<string, { responses: Record<string, unknown> }>>;
  for (const [template, item] of Object.entries(paths)) {
    if (!new RegExp(`^/api/v1${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path)) continue;
    const key = method === 'HEAD' ? 'get' : method.toLowerCase();
    return (item[key] ?? Object.values(item)[0])?.responses;
  }
  return undefined;
}

/** The responses of every path, known or unknown. */
const commonResponses: Record<string, unknown> = {
  401: document.components.responses.Unauthenticated,
  403: document.components.responses.Suspended,
  404: document.components.responses.NotFound,
};

function findResponse(method: string, path: string, status: number): DocumentedResponse | undefined {
  const documented = (findOperation(method, path) ?? commonResponses)[String(status)];
  return documented === undefined ? undefined : (resolve(documented) as DocumentedResponse);
}

function checkHeaders(documented: DocumentedResponse, headers: Headers): string[] {
  return Object.entries(documented.headers ?? {}).flatMap(([name, reference]) => {
    const { required = false, schema } = resolve(reference) as Header;
    const value = headers.get(name);
    if (value === null) return required ? [`header ${name} is missing`] : [];
    return validate(schema, value).map((problem) => `header ${name}: ${problem}`);
  });
}

function checkBody(documented: DocumentedResponse, response: CheckedResponse): string[] {
  if (response.headers.get('content-type') !== 'application/json')
    return ['content-type is not application/json'];
  const schema = documented.content?.['application/json'].schema;
  return schema === undefined ? ['no body is documented'] : validate(schema, JSON.parse(response.text));
}

/** Returns the deviations of a response from openapi.yaml. */
export function findDeviations(method: string, url: string, response: CheckedResponse): string[] {
  if (method === 'OPTIONS' && response.status === 204)
    return response.headers.get('allow') === null ? ['no Allow'] : [];
  const documented = findResponse(method, new URL(url).pathname, response.status);
  if (documented === undefined) return [`status ${response.status} is not documented`];
  const body = method === 'HEAD' ? [] : checkBody(documented, response);
  return [...checkHeaders(documented, response.headers), ...body];
}

/**
 * Wraps a `fetch`: checks every response against openapi.yaml.
 *
 * @throws {Error} when a response deviates from openapi.yaml
 */
export function checked(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    const { method, url } = request;
    const response = await fetch(request);
    const { status, headers } = response;
    const deviations = findDeviations(method, url, { status, headers, text: await response.clone().text() });
    if (deviations.length > 0)
      throw new Error(`${method} ${url} responded with ${status}: ${deviations.join('; ')}`);
    return response;
  };
}
