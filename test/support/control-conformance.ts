// Checks responses of the control API against sandbox.openapi.json: status, body, and no undocumented fields.
import document from '@service/mock/sandbox.openapi.json' with { type: 'json' };
import { compileDocument } from './conformance.ts';

interface Node {
  readonly [field: string]: unknown;
}
interface Documented {
  readonly content?: Readonly<Record<string, { readonly schema: Node }>>;
}
interface Operation {
  readonly operationId: string;
  readonly responses: Readonly<Record<string, unknown>>;
}

/** The checked parts of a response of the control API. */
export interface ControlResponse {
  readonly status: number;
  readonly body: unknown;
}

const { validate } = compileDocument('sandbox.openapi.json', document);

/** Returns the operation of a method and path, or undefined. */
export function findControlOperation(method: string, path: string): Operation | undefined {
  const paths = document.paths as Record<string, Record<string, Operation>>;
  const key = method === 'HEAD' ? 'get' : method.toLowerCase();
  const found = Object.entries(paths).find(([template, item]) => {
    const pattern = template.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+');
    return new RegExp(`^/_sandbox${pattern}$`).test(path) && key in item;
  });
  return found?.[1][key];
}

const escape = (part: string): string => part.replaceAll('~', '~0').replaceAll('/', '~1');

/** Returns the deviations of a response from sandbox.openapi.json. */
export function findControlDeviations(
  method: string,
  path: string,
  { status, body }: ControlResponse,
): string[] {
  if (status >= 400) return validate({ $ref: '#/components/schemas/Error' }, body);
  const operation = findControlOperation(method, path);
  if (operation === undefined) return [`${method} ${path} is not documented`];
  const documented = operation.responses[String(status)] as Documented | undefined;
  if (documented === undefined) return [`status ${status} is not documented`];
  if (documented.content === undefined) return body === undefined ? [] : ['no body is documented'];
  if (method === 'HEAD') return [];
  const template = Object.entries(document.paths).find(([, item]) =>
    Object.values(item).some(({ operationId }) => operationId === operation.operationId),
  );
  const segments = ['paths', template?.[0] ?? '', method.toLowerCase(), 'responses', String(status)];
  const [mediaType = ''] = Object.keys(documented.content);
  const pointer = [...segments, 'content', mediaType, 'schema'].map((part) => `/${escape(part)}`).join('');
  return validate({ $ref: `#${encodeURI(pointer)}` }, body);
}
