// Checks answers of the control plane against sandbox.openapi.json: status, body, and that nothing undocumented is in it.
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import document from '@service/mock/sandbox.openapi.json' with { type: 'json' };

type Node = { readonly [field: string]: unknown };
type Documented = { readonly content?: { readonly 'application/json': { readonly schema: Node } } };
type Operation = { readonly operationId: string; readonly responses: Readonly<Record<string, unknown>> };

/** What a client saw of an answer of the control plane. */
export type ControlAnswer = { readonly status: number; readonly body: unknown };

const ID = 'sandbox.openapi.json';
const ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false });
ajv.addSchema({ $id: ID, ...(closeObjects(document) as object) });

/** Forbids undocumented fields in every answer, so that a stray one is found. */
function closeObjects(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(closeObjects);
  if (typeof node !== 'object' || node === null) return node;
  const closed = Object.fromEntries(Object.entries(node).map(([name, part]) => [name, closeObjects(part)]));
  return 'properties' in closed && closed.type === 'object'
    ? { additionalProperties: false, ...closed }
    : closed;
}

/** Finds the operation that a method and a path lead to; undefined when there is none. */
export function findControlOperation(method: string, path: string): Operation | undefined {
  const paths = document.paths as Record<string, Record<string, Operation>>;
  const asked = method === 'HEAD' ? 'get' : method.toLowerCase();
  const found = Object.entries(paths).find(([template, item]) => {
    const pattern = template.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+');
    return new RegExp(`^/_sandbox${pattern}$`).test(path) && asked in item;
  });
  return found?.[1][asked];
}

const validators = new Map<string, ValidateFunction>();

function validate(pointer: string, value: unknown): string[] {
  const validator = validators.get(pointer) ?? ajv.compile({ $ref: `${ID}#${pointer}` });
  validators.set(pointer, validator);
  if (validator(value)) return [];
  return (validator.errors ?? []).map(({ instancePath, message }) => `${instancePath || 'body'} ${message}`);
}

const escape = (part: string): string => part.replaceAll('~', '~0').replaceAll('/', '~1');

/** Lists where an answer differs from sandbox.openapi.json. */
export function findControlDeviations(
  method: string,
  path: string,
  { status, body }: ControlAnswer,
): string[] {
  if (status >= 400) return validate('/components/schemas/Error', body);
  const operation = findControlOperation(method, path);
  if (operation === undefined) return [`${method} ${path} is not documented`];
  const documented = operation.responses[String(status)] as Documented | undefined;
  if (documented === undefined) return [`status ${status} is not documented`];
  if (documented.content === undefined) return body === undefined ? [] : ['no body is documented'];
  if (method === 'HEAD') return [];
  const template = Object.entries(document.paths).find(([, item]) =>
    Object.values(item).some(({ operationId }) => operationId === operation.operationId),
  );
  const place = ['paths', template?.[0] ?? '', method.toLowerCase(), 'responses', String(status)];
  const pointer = [...place, 'content', 'application/json', 'schema']
    .map((part) => `/${escape(part)}`)
    .join('');
  return validate(encodeURI(pointer), body);
}
