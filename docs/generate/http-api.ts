// The reference of the HTTP API, from its OpenAPI document.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { escapeText, type Pages } from './markdown.ts';
import { listRoutes, type OpenApi } from './openapi.ts';
import { formatOperation, formatSchema } from './openapi-page.ts';

const root = join(import.meta.dirname, '../..');

/** Generates the page of the service. */
export function generateHttpApi(): Pages {
  const document = parse(readFileSync(join(root, 'openapi.yaml'), 'utf8')) as OpenApi;
  const routes = listRoutes(document);
  const sections = document.tags.map(({ name, description }) => {
    const operations = routes.filter(({ operation }) => operation.tags.includes(name));
    return `## ${name}\n\n${escapeText(description)}\n\n${operations.map((route) => formatOperation(route, document)).join('')}`;
  });
  const schemes = Object.values(document.components.securitySchemes ?? {}).map(
    ({ description = '' }) => `- ${escapeText(description)}\n`,
  );
  const schemas = Object.entries(document.components.schemas).map(([name, schema]) =>
    formatSchema(name, schema, document),
  );
  const page = `# HTTP API

The operations, bodies and responses of the service, from \`openapi.yaml\`, which [@service/contract](/contract/) exports. The
[dashboard](/mock/dashboard) of a mock shows it with requests to try.

${escapeText(document.info.description.trim())}

Paths are relative to the base URL, such as \`http://localhost:4010/api/v1\`.

## Authentication

${schemes.join('')}
${sections.join('')}## Schemas

${schemas.join('')}`;
  return new Map([['http-api', page]]);
}
