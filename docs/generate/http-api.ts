// The reference of the HTTP API, from openapi.yaml: the operations as tables, and parameters and schemas as the document has them.
import { readFileSync } from 'node:fs';
import { parse, stringify } from 'yaml';
import { toAnchor } from '../.vitepress/pages.ts';
import { escapeText, formatBlock, formatCode, formatTable, type Pages } from './markdown.ts';

interface Ref {
  readonly $ref?: string;
}
interface Response extends Ref {
  readonly description: string;
  readonly headers?: Readonly<Record<string, object>>;
  readonly content?: Readonly<Record<string, { readonly schema?: Ref }>>;
}
interface Operation {
  readonly tags: readonly string[];
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly parameters?: readonly object[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Ref }>> };
  readonly responses: Readonly<Record<string, Response>>;
  readonly 'x-unspecified'?: string | readonly string[];
}
type Routes = Readonly<Record<string, Readonly<Record<string, Operation>>>>;
interface Document {
  readonly info: { readonly description: string };
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Routes;
  readonly webhooks: Routes;
  readonly components: {
    readonly schemas: Readonly<Record<string, object>>;
    readonly securitySchemes: Readonly<Record<string, { readonly description: string }>>;
  };
}

const document = parse(readFileSync(new URL('../../openapi.yaml', import.meta.url), 'utf8')) as Document;

/** Resolves a reference within the document. */
function resolve<Node extends object>(node: Node): Node {
  const { $ref } = node as Ref;
  const parts = $ref?.replace('#/', '').split('/');
  return parts ? (parts.reduce<object>((at, part) => at[part as never], document) as Node) : node;
}

const formatYaml = (node: unknown): string => formatBlock('yaml', stringify(node, { lineWidth: 100 }));

/** Formats a link to a schema. */
function linkSchema({ $ref = '' }: Ref = {}): string {
  const name = $ref.replace('#/components/schemas/', '');
  return name === '' ? '' : `[${name}](#${toAnchor(name)})`;
}

function formatOperation(address: string, operation: Operation): string {
  const { operationId, summary, description = '', parameters = [], requestBody, responses } = operation;
  const settings = [operation['x-unspecified'] ?? []].flat();
  const body = requestBody?.content['application/json']?.schema;
  const rows = Object.entries(responses).map(([status, node]) => {
    const { description: meaning, content = {}, headers = {} } = resolve(node);
    const schema = linkSchema(content['application/json']?.schema);
    return [status, escapeText(meaning), schema, Object.keys(headers).map(formatCode).join(', ')];
  });
  return [
    `### ${summary}\n\n${formatCode(address)} · ${formatCode(operationId)}\n\n${escapeText(description)}\n\n`,
    settings.length === 0
      ? ''
      : `The service's document leaves open: ${settings.map((name) => `[${formatCode(name)}](/mock/profiles)`).join(', ')}.\n\n`,
    parameters.length === 0 ? '' : `#### Parameters\n\n${formatYaml(parameters.map(resolve))}`,
    body === undefined ? '' : `#### Body\n\n${linkSchema(body)}\n\n`,
    `#### Responses\n\n${formatTable(['status', 'meaning', 'body', 'headers'], rows)}`,
  ].join('');
}

/** Generates the page of the service. */
export function generateHttpApi(): Pages {
  const { info, tags, paths, webhooks, components } = document;
  const all = Object.entries({ ...paths, ...webhooks }).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]): [string, Operation] => {
      const address = path in webhooks ? 'to the endpoint of the account' : path;
      return [`${method.toUpperCase()} ${address}`, operation];
    }),
  );
  const sections = tags.map(({ name, description }) => {
    const operations = all.filter(([, operation]) => operation.tags.includes(name));
    return `## ${name}\n\n${escapeText(description)}\n\n${operations.map((each) => formatOperation(...each)).join('')}`;
  });
  const schemes = Object.values(components.securitySchemes).map(
    ({ description }) => `- ${escapeText(description)}\n`,
  );
  const schemas = Object.entries(components.schemas).map(
    ([name, schema]) => `### ${name}\n\n${formatYaml(schema)}`,
  );
  const page = `# HTTP API

The operations, bodies and responses of the service, from \`openapi.yaml\`, which [@service/contract](/contract/) exports. The
[dashboard](/mock/dashboard) of a mock shows it with requests to try.

${escapeText(info.description.trim())}

Paths are relative to the base URL, such as \`http://localhost:4010/api/v1\`.

## Authentication

${schemes.join('')}
${sections.join('')}## Schemas

${schemas.join('')}`;
  return new Map([['http-api', page]]);
}
