// The generators, validators and test tools, and their commands.
import { globSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { root } from './execute.ts';
import type { Ecosystem } from './install.ts';

/** The documents of the service, from which clients are generated, and that of the control API, which is validated only. */
export const documents = [
  'openapi.yaml',
  'packages/contract/openapi.portable.yaml',
  'packages/mock/sandbox.openapi.json',
] as const;
export type Document = (typeof documents)[number];

/** One document that a tool reads, and the folder of its output. */
export interface Job {
  readonly document: Document;
  readonly out: string;
}

interface ToolOptions {
  readonly name: string;
  readonly ecosystems: readonly Ecosystem[];
  readonly version: string;
  /** The documents that the tool cannot use, and why. */
  readonly unusable?: Readonly<Partial<Record<Document, string>>>;
  /** The options that the tool needs for a document. */
  readonly notes?: Readonly<Partial<Record<Document, string>>>;
}

/** A tool that generates a client. */
export interface Generator extends ToolOptions {
  readonly kind: 'generator';
  /** Returns the commands that generate and build the client. */
  readonly build: (job: Job) => Iterable<string>;
  /** Returns the command of the client, which calls the service in `BASE_URL` with `API_KEY` and prints a report. */
  readonly client: (job: Job) => string;
}

/** A tool that checks a document. */
interface Validator extends ToolOptions {
  readonly kind: 'validator';
  readonly validate: (job: Job) => string;
}

/** A tool that generates calls from a document and checks the responses. */
interface Caller extends ToolOptions {
  readonly kind: 'caller';
  readonly call: (job: Job) => string;
}

export type Tool = Generator | Validator | Caller;

/** Returns the version that a lock file or manifest pins. */
function readVersion(file: string, pattern: RegExp): string {
  const version = pattern.exec(readFileSync(join(root, file), 'utf8'))?.[1];
  if (version === undefined) throw new Error(`${file} must pin a version that matches ${String(pattern)}.`);
  return version;
}

const npm = (name: string) =>
  readVersion('package-lock.json', new RegExp(`"node_modules/${name}": {\\s+"version": "(.+)"`));
const pip = (name: string) => readVersion('requirements.txt', new RegExp(`^${name}==(.+)$`, 'm'));
const go = (name: string) => readVersion('go.mod', new RegExp(`${name} v(\\S+)`));
const maven = (name: string) => readVersion('pom.xml', new RegExp(`${name}</artifactId>\\s+<version>(.+)</`));

const generatorJar = `out/jars/openapi-generator-cli-${maven('openapi-generator-cli')}.jar`;

/** Returns the command that generates a client with openapi-generator. */
function generate(language: string, { document, out }: Job): string {
  return `java -jar ${generatorJar} generate -g ${language} -i ../../${document} -o ${out}`;
}

/** Returns the class path of the Java and Kotlin clients. The generator contains other versions of the same libraries. */
function listJars(): string {
  const jars = globSync('out/jars/*.jar', { cwd: root });
  return jars.filter((jar) => jar !== generatorJar).join(delimiter);
}

/** Returns the commands that check the types of a TypeScript client and bundle it. */
function buildTypeScript(name: string, out: string): readonly string[] {
  return [
    `tsc --project clients/${name}`,
    `esbuild clients/${name}/flow.ts --bundle --platform=node --format=esm --outfile=${out}/flow.mjs`,
  ];
}

const generators: readonly Generator[] = [
  {
    kind: 'generator',
    name: 'openapi-generator-java',
    ecosystems: ['java'],
    version: maven('openapi-generator-cli'),
    unusable: { 'openapi.yaml': '`const: true` becomes code that does not compile' },
    *build(job) {
      yield generate('java', job);
      const files = globSync(`${job.out}/src/main/**/*.java`, { cwd: root }).join(' ');
      yield `javac -nowarn -d ${job.out}/classes -cp ${listJars()} clients/openapi-generator-java/Flow.java ${files}`;
    },
    client: ({ out }) => `java -cp ${out}/classes${delimiter}${listJars()} Flow`,
  },
  {
    kind: 'generator',
    name: 'openapi-generator-kotlin',
    ecosystems: ['java'],
    version: maven('openapi-generator-cli'),
    unusable: { 'openapi.yaml': '`const: true` becomes an enumeration that rejects every response' },
    *build(job) {
      yield generate('kotlin', job);
      const files = `clients/openapi-generator-kotlin/Flow.kt ${job.out}/src/main/kotlin`;
      const compiler = `java -cp ${listJars()} org.jetbrains.kotlin.cli.jvm.K2JVMCompiler`;
      yield `${compiler} -no-stdlib -no-reflect -nowarn -d ${job.out}/classes -cp ${listJars()} ${files}`;
    },
    client: ({ out }) => `java -cp ${out}/classes${delimiter}${listJars()} FlowKt`,
  },
  {
    kind: 'generator',
    name: 'openapi-generator-go',
    ecosystems: ['java', 'go'],
    version: maven('openapi-generator-cli'),
    unusable: { 'openapi.yaml': 'it rejects new fields in responses' },
    *build(job) {
      yield `${generate('go', job)} --additional-properties packageName=generated,withGoMod=false`;
      yield `go build -o ${job.out}/flow ./clients/openapi-generator-go`;
    },
    client: ({ out }) => `${out}/flow`,
  },
  {
    kind: 'generator',
    name: 'openapi-generator-python',
    ecosystems: ['java', 'python'],
    version: maven('openapi-generator-cli'),
    unusable: { 'openapi.yaml': 'for `const: true` it accepts only the text "true"' },
    build: (job) => [generate('python', job)],
    client: () => 'python clients/openapi-generator-python/flow.py',
  },
  {
    kind: 'generator',
    name: 'openapi-generator-typescript-fetch',
    ecosystems: ['java', 'node'],
    version: maven('openapi-generator-cli'),
    unusable: { 'openapi.yaml': 'the file of the webhook, apis/WebhooksApi.ts, does not compile' },
    build: (job) => [
      generate('typescript-fetch', job),
      ...buildTypeScript('openapi-generator-typescript-fetch', job.out),
    ],
    client: ({ out }) => `node ${out}/flow.mjs`,
  },
  {
    kind: 'generator',
    name: 'oapi-codegen',
    ecosystems: ['go'],
    version: go('oapi-codegen/v2'),
    notes: { 'openapi.yaml': 'skip-prune, else the schemas of the webhook are missing' },
    *build({ document, out }) {
      const parts = document === 'openapi.yaml' ? 'types,client,skip-prune' : 'types,client';
      yield `oapi-codegen -generate ${parts} -package generated -o ${out}/client.gen.go ../../${document}`;
      yield `go build -o ${out}/flow ./clients/oapi-codegen`;
    },
    client: ({ out }) => `${out}/flow`,
  },
  {
    kind: 'generator',
    name: 'ogen',
    ecosystems: ['go'],
    version: go('ogen-go/ogen'),
    unusable: { 'openapi.yaml': 'it accepts a boolean `exclusiveMinimum` only' },
    build: ({ document, out }) => [
      `ogen --target ${out} --package generated --clean ../../${document}`,
      `go build -o ${out}/flow ./clients/ogen`,
    ],
    client: ({ out }) => `${out}/flow`,
  },
  {
    kind: 'generator',
    name: 'openapi-python-client',
    ecosystems: ['python'],
    version: pip('openapi-python-client'),
    build: ({ document, out }) => [
      `openapi-python-client generate --path ../../${document} --output-path ${out}/generated --meta none`,
    ],
    client: () => 'python clients/openapi-python-client/flow.py',
  },
  {
    kind: 'generator',
    name: 'datamodel-code-generator',
    ecosystems: ['python'],
    version: pip('datamodel-code-generator'),
    notes: {
      'packages/contract/openapi.portable.yaml':
        '--strict-nullable, else it ignores `nullable` of required fields',
    },
    *build({ document, out }) {
      const strict = document === 'packages/contract/openapi.portable.yaml' ? ' --strict-nullable' : '';
      const files = `--input ../../${document} --output ${out}/generated.py`;
      yield `datamodel-codegen ${files} --output-model-type pydantic_v2.BaseModel --formatters builtin${strict}`;
    },
    client: () => 'python clients/datamodel-code-generator/flow.py',
  },
  ...['fetch', 'zod'].map((client): Generator => ({
    kind: 'generator',
    name: `orval-${client}`,
    ecosystems: ['node'],
    version: npm('orval'),
    build: ({ out }) => [
      `orval --config orval.config.ts --project ${client}`,
      ...buildTypeScript(`orval-${client}`, out),
    ],
    client: ({ out }) => `node ${out}/flow.mjs`,
  })),
  {
    kind: 'generator',
    name: 'hey-api',
    ecosystems: ['node'],
    version: npm('@hey-api/openapi-ts'),
    build: ({ document, out }) => [
      `openapi-ts --input ../../${document} --output ${out}`,
      ...buildTypeScript('hey-api', out),
    ],
    client: ({ out }) => `node ${out}/flow.mjs`,
  },
  {
    kind: 'generator',
    name: 'openapi-fetch',
    ecosystems: ['node'],
    version: npm('openapi-typescript'),
    build: ({ document, out }) => [
      `openapi-typescript ../../${document} --output ${out}/types.ts`,
      ...buildTypeScript('openapi-fetch', out),
    ],
    client: ({ out }) => `node ${out}/flow.mjs`,
  },
];

const validators: readonly Validator[] = [
  {
    kind: 'validator',
    name: 'openapi-spec-validator',
    ecosystems: ['python'],
    version: pip('openapi-spec-validator'),
    validate: ({ document }) => `openapi-spec-validator ../../${document}`,
  },
  {
    kind: 'validator',
    name: 'kin-openapi',
    ecosystems: ['go'],
    version: go('kin-openapi'),
    validate: ({ document }) => `validate ../../${document}`,
  },
  {
    kind: 'validator',
    name: 'spectral',
    ecosystems: ['node'],
    version: npm('@stoplight/spectral-cli'),
    validate: ({ document }) => `spectral lint --ruleset spectral.yaml ../../${document}`,
  },
  {
    kind: 'validator',
    name: 'redocly',
    ecosystems: ['node'],
    version: npm('@redocly/cli'),
    validate: ({ document }) => `redocly lint --config lint.redocly.yaml ../../${document}`,
  },
  {
    kind: 'validator',
    name: 'swagger-parser',
    ecosystems: ['node'],
    version: npm('@apidevtools/swagger-parser'),
    validate: ({ document }) => `node swagger-parser.mjs ../../${document}`,
  },
];

const schemathesis: Caller = {
  kind: 'caller',
  name: 'schemathesis',
  ecosystems: ['python'],
  version: pip('schemathesis'),
  call: ({ document }) =>
    `schemathesis --config-file schemathesis/schemathesis.toml --no-color run ../../${document}`,
};

export const tools: readonly Tool[] = [...generators, ...validators, schemathesis];
