// Runs generators, validators and test tools of other projects on the OpenAPI documents, and their clients against the mock.
// Arguments name tools; without any, all tools run.
import { mkdirSync, rmSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { execute, formatSeconds, root } from './execute.ts';
import { findMissing, install } from './install.ts';
import { checkReport, clientAccounts, generatedCallsAccount, startSandbox, type Sandbox } from './sandbox.ts';
import { documents, tools, type Document, type Generator, type Job, type Tool } from './tools.ts';

/** Runs a tool on one document and returns a summary of its success. */
async function runTool(tool: Tool, document: Document, sandbox: Sandbox): Promise<string> {
  const out = `out/${tool.name}`;
  const job = { document, out };
  const variables = {
    DOCUMENT: document,
    OUT: out,
    BASE_URL: sandbox.baseUrl,
    PYTHONPATH: `${out}${delimiter}clients`,
  };
  rmSync(join(root, out), { recursive: true, force: true });
  mkdirSync(join(root, out), { recursive: true });
  if (tool.kind === 'generator') return runClient(tool, job, sandbox, variables);
  if (tool.kind === 'caller') {
    const apiKey = sandbox.openAccount(generatedCallsAccount);
    return countCalls(await execute(tool.call(job), { ...variables, API_KEY: apiKey }));
  }
  await execute(tool.validate(job), variables);
  return 'valid';
}

/** Generates and builds a client, and runs it with each account. */
async function runClient(
  tool: Generator,
  job: Job,
  { baseUrl, openAccount }: Sandbox,
  variables: NodeJS.ProcessEnv,
): Promise<string> {
  for (const command of tool.build(job)) await execute(command, variables);
  for (const account of clientAccounts) {
    const apiKey = openAccount(account);
    const report = await execute(tool.client(job), { ...variables, API_KEY: apiKey });
    await checkReport(report, baseUrl, apiKey);
  }
  return 'paid';
}

/** Returns the number of calls in the output of Schemathesis, which exits with 0 only if all passed. */
function countCalls(output: string): string {
  const calls = Number(/(\d+) generated/.exec(output)?.[1]);
  if (!(calls >= 2000)) throw new Error(`Expected at least 2000 calls:\n${output}`);
  return `${calls} calls`;
}

/** Formats rows as a Markdown table with aligned columns. */
function formatTable(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  const lines = rows.map(
    (row) => `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`,
  );
  return lines.toSpliced(1, 0, `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`).join('\n');
}

const startedAt = performance.now();
const names = process.argv.slice(2);
const unknown = names.filter((name) => !tools.some((tool) => tool.name === name));
if (unknown.length > 0) {
  const known = tools.map(({ name }) => name).join(', ');
  console.error(`Unknown tool: ${unknown.join(', ')}. The tools are: ${known}.`);
  process.exit(1);
}
const selected = tools.filter(({ name }) => names.length === 0 || names.includes(name));
const needed = [...new Set(selected.flatMap(({ ecosystems }) => ecosystems))];
const missing = await findMissing(needed);
if (missing.length > 0) {
  console.error(missing.join('\n'));
  process.exit(1);
}
for (const name of needed) await install(name);

const rows = [['tool', 'version', 'document', 'result', 'seconds', 'note']];
await using sandbox = await startSandbox();
for (const tool of selected) {
  for (const document of tool.kind === 'validator' ? documents : documents.slice(0, 2)) {
    const reason = tool.unusable?.[document];
    const toolStartedAt = performance.now();
    const running = runTool(tool, document, sandbox);
    const result = await (reason === undefined ? running.catch(reportFailure) : expectFailure(running));
    const note = reason ?? tool.notes?.[document] ?? '';
    const row = [tool.name, tool.version, document, result, formatSeconds(toolStartedAt), note];
    rows.push(row);
    console.log(row.join('  '));
  }
}
console.log(`\n${formatTable(rows)}\n\nTotal: ${formatSeconds(startedAt)} s.`);

function reportFailure(error: unknown): string {
  process.exitCode = 1;
  console.error(`\n${(error as Error).message}`);
  return 'FAILED';
}

/** Returns the result of a tool that cannot use a document. If it can, the reason in `tools.ts` is out of date. */
function expectFailure(running: Promise<string>): Promise<string> {
  return running.then(
    () => reportFailure(new Error('The tool can use this document now. Remove its reason from tools.ts.')),
    () => 'not usable',
  );
}
