// The reference of environment variables: a meaning for each variable that the source reads.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { capture } from '../../scripts/run.ts';
import { formatCode, formatTable, type Pages } from './markdown.ts';

const root = join(import.meta.dirname, '../..');

/** The meaning of each variable, by the part that it configures. Tests fail for a variable that is missing or not read. */
export const variables: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'The service': {
    SERVICE_API_KEY: 'The API key, of test or live mode. An option replaces it.',
    SERVICE_BASE_URL: 'The base URL of the service up to and including `/api/v1`. An option replaces it.',
    SERVICE_WEBHOOK_SECRET: 'The signing secret of webhooks. An option replaces it.',
  },
  'The command line': {
    SERVICE_CONFIG_PROFILE:
      'The profile of the [configuration file](/cli/configuration#configuration-files) of the user. Default: `default`.',
    SERVICE_INTENT_STORE:
      'The [store](/cli/payment-runs#stores) of `pay-file`: an absolute path or the URL of Postgres. Default: a file beside the payments.',
    SERVICE_SANDBOX_TOKEN:
      'The token of the control API: `mock` and `dev` use it in place of a random one, and commands that control a mock send it.',
    PORT: 'The port of the app, for `dev`; in examples, the port to listen on.',
    BROWSER: 'The program that opens the dashboard with `mock --open`.',
    GITHUB_ACTIONS: '`true`: `smoke` also prints annotations for GitHub Actions.',
    NO_COLOR: 'Any text: prints no color.',
    TERM: '`dumb`: prints no color and no symbols.',
    HOME: 'The home folder, which contains `.config/service/config.json`.',
    XDG_CONFIG_HOME: 'The folder of `service/config.json` in place of `.config` in the home folder.',
    APPDATA: 'The folder of `service/config.json` on Windows.',
  },
  'The sandbox and tests': {
    NODE_ENV:
      '`production`: a sandbox in Next responds 403 without `allowInProduction`, and its control API needs a token; `explain` of `@service/webhooks/testing` throws.',
  },
  'The examples': {
    DATABASE_URL: 'The URL of a Postgres server.',
    DYNAMODB_URL: 'The URL of DynamoDB, for tests with a local one.',
    EVENTS_TABLE: 'The DynamoDB table of handled events.',
    PAYOUTS_TABLE: 'The DynamoDB table of payouts.',
    HANDLED_EVENTS: 'A binding of the Worker: the Durable Object with the handled events.',
    PAYOUTS: 'A binding of the Worker: the Durable Object with the payouts.',
    RECEIPTS: 'A binding of the Worker: the service that receives receipts.',
    TIMEOUT: 'The maximum time of a request, in milliseconds. Default: 10000.',
    INTENTS_FILE: 'The file with the intents of the Next app. Default: payments.db.',
    KEY_RETENTION_HOURS: 'The time for which the service keeps idempotency keys, in hours.',
    CHROMIUM_PATH: 'The browser of the tests. Default: that of Playwright.',
  },
};

/** How code reads a variable: a member of `env`, a pattern that takes one apart, or a call with its name. */
const READS: readonly RegExp[] = [
  /\benv\??\.([A-Z][A-Z0-9_]+)\b/g,
  /\benv\[['"]([A-Z][A-Z0-9_]+)['"]\]/g,
  /\benviron(?:\.get\(|\[)['"]([A-Z][A-Z0-9_]+)['"]/g,
  /'(SERVICE_[A-Z_]+)'/g,
];
const DESTRUCTURED = /\{([^{}]*)\}\s*=\s*(?:[\w.]+\.)?env\b/g;
/** Files with code that users run, without tests. The pages of the dashboard read no variables. */
const SOURCES = /^(?!packages\/dashboard\/|.*\/test\/).*\.(?:tsx?|[mc]?js|py|sh)$/;
/** In a shell script, a variable with a default value. Others are its own. */
const SHELL = /\$\{([A-Z][A-Z0-9_]+):-/g;

const list = (pattern: RegExp, text: string): string[] =>
  Array.from(text.matchAll(pattern), ([, name = '']) => name);

/** Returns the names of the variables that a source reads. */
export function findVariables(file: string, text: string): string[] {
  const code = text.replaceAll(/^\s*(?:\/?\*|\/\/|#).*$/gm, '');
  if (file.endsWith('.sh')) return list(SHELL, code);
  const destructured = list(DESTRUCTURED, code).flatMap((names) => list(/\b([A-Z][A-Z0-9_]+)\b/g, names));
  const isMeta = new Set(list(/import\.meta\.env\.([A-Z]+)/g, code));
  return [...READS.flatMap((pattern) => list(pattern, code)), ...destructured].filter(
    (name) => !isMeta.has(name),
  );
}

/** Returns the parts that read each variable: packages and examples. */
export function readVariables(): ReadonlyMap<string, ReadonlySet<string>> {
  const files = capture('git', ['ls-files', 'packages', 'examples'], root).trim().split('\n');
  const found = new Map<string, Set<string>>();
  for (const file of files.filter((path) => SOURCES.test(path)))
    for (const name of findVariables(file, readFileSync(join(root, file), 'utf8')))
      found.set(name, (found.get(name) ?? new Set()).add(nameReader(file)));
  return found;
}

function nameReader(file: string): string {
  const [folder, name = ''] = file.split('/');
  return folder === 'packages' ? `@service/${name}` : `examples/${name}`;
}

/** Generates the page of the variables. */
export function generateEnvironment(): Pages {
  const readers = readVariables();
  const sections = Object.entries(variables).map(([title, rows]) => {
    const table = formatTable(
      ['variable', 'meaning', 'read by'],
      Object.entries(rows).map(([name, meaning]) => [
        formatCode(name),
        meaning,
        [...(readers.get(name) ?? [])].map(formatCode).join(', '),
      ]),
    );
    return `## ${title}\n\n${table}`;
  });
  const page = `# Environment variables

Every variable that the packages and examples read. \`.env\` files are not read.

${sections.join('')}`;
  return new Map([['environment', page]]);
}
