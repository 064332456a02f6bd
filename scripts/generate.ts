// Writes the files that are derived from openapi.yaml, the control operations, the profile settings, docs/project.json and the
// documentation. With --check, writes nothing and fails if a file is stale.
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { createClient } from '@hey-api/openapi-ts';
import openapiTypescript, { astToString } from 'openapi-typescript';
import { parse, stringify } from 'yaml';
import { generateAddresses } from './generate-addresses.ts';
import { generateProfiles } from './generate-profiles.ts';
import { generateSkills } from './generate-skills.ts';
import { generateProfileTypes } from './profile-types.ts';
import { toPortable } from './portable-openapi.ts';

interface Operation {
  operationId: string;
  summary: string;
  responses: Record<string, unknown>;
  'x-decided'?: { status: number };
}
interface Document {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, { description?: string }> };
}

const root = join(import.meta.dirname, '..');
const source = join(root, 'openapi.yaml');
const contract = join(root, 'packages/contract');
const HEADER = '// Generated from openapi.yaml by `npm run generate`. Do not edit.\n';
const PORTABLE_HEADER =
  '# Generated from openapi.yaml by `npm run generate`: OpenAPI 3.0.3, for tools that do not read 3.1. Do not edit.\n';

/** Generates types with the known values of open lists: a package that accepts others adds `string` itself. */
async function generateTypes(document: Document): Promise<string> {
  const closed = JSON.stringify(document).replaceAll('"x-extensible-enum"', '"enum"');
  const ast = await openapiTypescript(closed, {
    alphabetize: true,
    defaultNonNullable: false,
    enumValues: true,
    rootTypes: true,
    rootTypesNoSchemaPrefix: true,
    silent: true,
  });
  return HEADER + describeTypes(astToString(ast), document);
}

/** The descriptions of the types that no schema describes. */
const descriptions: Readonly<Record<string, string>> = {
  components: 'The schemas, responses, parameters and headers of the document, by name.',
  operations: 'The parameters, bodies and responses of each operation, by its id.',
  paths: 'The operations of each path, by method.',
  webhooks: 'The webhooks that the service sends.',
};

/** Adds the descriptions to exported types: an editor shows only the comment of the name itself. */
function describeTypes(text: string, { components: { schemas } }: Document): string {
  const values = new Map(Object.keys(schemas).map((name) => [`${name.toLowerCase()}values`, name]));
  return text.replaceAll(/^export (?:interface|type|const) (\w+)/gm, (line, name: string) => {
    const listed = values.get(name.toLowerCase());
    const comment = listed
      ? `The values of {@link ${listed}}.`
      : (schemas[name]?.description ?? descriptions[name]);
    return comment === undefined ? line : `/** ${comment.trim().replaceAll(/\s+/g, ' ')} */\n${line}`;
  });
}

async function generateSchemas(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'schemas-'));
  try {
    await createClient({
      input: source,
      output: { path: folder },
      logs: { level: 'silent' },
      plugins: [
        {
          name: 'zod',
          compatibilityVersion: 'mini',
          definitions: { name: '{{name}}', case: 'PascalCase' },
          requests: false,
          responses: false,
          webhooks: false,
        },
      ],
    });
    const text = await readFile(join(folder, 'zod.gen.ts'), 'utf8');
    return HEADER + text.replace(/^\/\/ This file is auto-generated.*\n/, '');
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Generates the operation table, which adapters use to route requests. */
function generateOperations(document: Document): string {
  const rows = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => [
      operation.operationId,
      {
        method: method.toUpperCase(),
        path,
        successStatus: operation['x-decided']?.status ?? 200,
        summary: operation.summary,
      },
    ]),
  );
  const table = JSON.stringify(Object.fromEntries(rows), null, 2);
  return `${HEADER}
/** The operations of the service by \`operationId\`. Paths are relative to the base URL. */
export const operations = ${table} as const;

/** The \`operationId\` of an operation of the service. */
export type OperationId = keyof typeof operations;
`;
}

async function generateContract(): Promise<Map<string, string>> {
  const document = parse(await readFile(source, 'utf8')) as Document;
  const portable = toPortable({ ...document });
  return new Map([
    [join(contract, 'src/generated/types.ts'), await generateTypes(document)],
    [join(contract, 'src/generated/schemas.ts'), await generateSchemas()],
    [join(contract, 'src/generated/operations.ts'), generateOperations(document)],
    [join(contract, 'openapi.json'), `${JSON.stringify(document, null, 2)}\n`],
    [join(contract, 'openapi.portable.json'), `${JSON.stringify(portable, null, 2)}\n`],
    [
      join(root, 'packages/contract/openapi.portable.yaml'),
      PORTABLE_HEADER + stringify(portable, { aliasDuplicateObjects: false }),
    ],
  ]);
}

const isCheck = process.argv.includes('--check');
const stale: string[] = [];
for (const generate of [
  generateAddresses,
  generateContract,
  generateProfileTypes,
  // Loaded late: it imports code that imports the files of the earlier ones.
  async () => (await import('./generate-control.ts')).generateControl(),
  generateProfiles,
  generateSkills,
])
  for (const [path, wanted] of await generate()) {
    if ((await readFile(path, 'utf8').catch(() => undefined)) === wanted) continue;
    stale.push(relative(root, path));
    if (isCheck) continue;
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, wanted);
  }
if (isCheck && stale.length > 0) {
  console.error(
    `Stale generated files: ${stale.join(', ')}. Run \`npm run generate\` and commit the changes.`,
  );
  process.exitCode = 1;
}
