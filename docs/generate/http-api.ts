// The reference of both HTTP APIs, from their OpenAPI documents.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { escapeText, type Pages, toWords } from './markdown.ts';
import { listRoutes, type OpenApi } from './openapi.ts';
import { formatOperation, formatSchema } from './openapi-page.ts';

const root = join(import.meta.dirname, '../..');

/** Reads the document of the service. */
function readServiceDocument(): OpenApi {
  return parse(readFileSync(join(root, 'openapi.yaml'), 'utf8')) as OpenApi;
}

/** Reads the document of the control API. */
function readControlDocument(): OpenApi {
  return JSON.parse(readFileSync(join(root, 'packages/mock/sandbox.openapi.json'), 'utf8')) as OpenApi;
}

/** Generates the page of the service. */
export function generateHttpApi(): Pages {
  const document = readServiceDocument();
  const context = { document, schemaPage: '' };
  const routes = listRoutes(document);
  const sections = document.tags.map(({ name, description }) => {
    const operations = routes.filter(({ operation }) => operation.tags.includes(name));
    return `## ${name}\n\n${escapeText(description)}\n\n${operations.map((route) => formatOperation(route, context)).join('')}`;
  });
  const schemes = Object.values(document.components.securitySchemes ?? {}).map(
    ({ description = '' }) => `- ${escapeText(description)}\n`,
  );
  const page = `# HTTP API

The operations, bodies and responses of the service, from \`openapi.yaml\`. Rules such as the order of checks are in the
[service contract](/reference/service); [@service/contract](/contract/) exports the document. A mock serves it with requests to try at
\`/_sandbox/docs\`.

${escapeText(document.info.description.trim())}

Paths are relative to the base URL, such as \`http://localhost:4010/api/v1\`.

## Authentication

${schemes.join('')}
${sections.join('')}## Schemas

${formatSchemas(document)}`;
  return new Map([['http-api', page]]);
}

function formatSchemas(document: OpenApi): string {
  return Object.entries(document.components.schemas)
    .map(([name, schema]) => formatSchema(name, schema, { document, schemaPage: '' }))
    .join('');
}

/** Generates one page per group of operations of the control API, one with its schemas and an index. */
export function generateControlApi(): Pages {
  const document = readControlDocument();
  const context = { document, schemaPage: '/reference/control-api/schemas' };
  const routes = listRoutes(document);
  const pages = document.tags.map(({ name, description }): [string, string] => {
    const operations = routes.filter(({ operation }) => operation.tags.includes(name));
    const title = `Control API: ${toWords(name)}`;
    const text = operations.map((route) => formatOperation(route, context)).join('');
    return [
      `control-api/${toPath(name)}`,
      `# ${title}\n\n${escapeText(description)} Paths are under \`/_sandbox\`. [All operations and their access](/mock/control-api)\n\n## Operations\n\n${text}`,
    ];
  });
  return new Map([
    ...pages,
    [
      'control-api/schemas',
      `# Control API: schemas\n\nThe objects in bodies of the [control API](/mock/control-api).\n\n## Schemas\n\n${formatSchemas(document)}`,
    ],
  ]);
}

/** Returns the last part of the address of a group: \`rate-limit\` for \`rateLimit\`. */
function toPath(group: string): string {
  return toWords(group).replaceAll(' ', '-');
}
