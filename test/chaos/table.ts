// Runs `service-cli chaos` on each application of this folder, and prints the table of verdicts: npm run chaos.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findFreePorts } from '../../packages/cli/src/chaos/runner.ts';
import { scenarios } from '../../packages/cli/src/chaos/scenarios.ts';
import { childEnv } from '../support/child-env.ts';

const run = promisify(execFile);
const folder = join(import.meta.dirname, 'applications');
const main = join(import.meta.dirname, '../../packages/cli/src/main.ts');

/** Each application: seven right ones, and those named after their mistake: the language, and the file or the argument of the Go program. */
const applications: readonly (readonly [language: 'typescript' | 'python' | 'go', name: string])[] = [
  ['typescript', 'application'],
  ['python', 'application'],
  ['go', 'application'],
  ['typescript', 'outbox'],
  ['python', 'polling'],
  ['typescript', 'payer'],
  ['go', 'leaves-unknowns'],
  ['python', 'repeats_post'],
  ['typescript', 'new-key-per-retry'],
  ['python', 'trusts_keys'],
  ['typescript', 'unknown-as-failed'],
  ['typescript', 'forgets-at-sigkill'],
  ['go', 'no-lock-between-instances'],
  ['typescript', 'verifies-parsed-body'],
  ['go', 'any-signature'],
  ['typescript', 'acknowledges-before-storing'],
  ['python', 'no_deduplication'],
  ['python', 'amount_in_cents'],
  ['typescript', 'loses-queue'],
  ['typescript', 'key-from-amount'],
  ['go', 'claims-with-amount'],
  ['typescript', 'deduplicates-in-memory'],
  ['typescript', 'searches-first-page'],
];

/** The names of the right ones, whose failures are printed with their reason. */
const rightOnes = new Set(applications.slice(0, 7).map(([, name]) => name));

interface Result {
  readonly name: string;
  readonly verdict: string;
  readonly detail: string;
}

/** The letter of each verdict in the table. */
const letters: Readonly<Record<string, string>> = { passed: '.', person: 'p', unjudged: '-', failed: 'F' };

/** Runs all scenarios on one application. */
async function runChaos(
  [language, name]: (typeof applications)[number],
  goProgram: string,
): Promise<readonly Result[]> {
  const state = mkdtempSync(join(tmpdir(), 'chaos-state-'));
  const commands = {
    typescript: [process.execPath, '--conditions=@service/source', join(folder, language, `${name}.ts`)],
    python: ['python3', join(folder, language, `${name}.py`)],
    go: [goProgram, name],
  };
  const [port = 0] = await findFreePorts(1);
  const values = {
    trigger: `POST http://localhost:${port}/payouts/{reference}/{amount}`,
    handled: `cat ${state}/handled-{reference} 2>/dev/null | wc -l`,
    ...(name !== 'polling' && { webhooks: '/webhooks' }),
    instances: '2',
    'client-timeout': name === 'payer' ? '30s' : '1s',
  };
  const options = Object.entries(values).map(([option, value]) => `--${option}=${value}`);
  const argv = ['--conditions=@service/source', main, 'chaos', '--json', ...options, '--'];
  try {
    const { stdout } = await run(process.execPath, [...argv, ...commands[language]], {
      cwd: state,
      env: { ...childEnv, STATE: state, PYTHONDONTWRITEBYTECODE: '1' },
    }).catch((error: { readonly stdout: string; readonly stderr: string }) => {
      if (error.stdout !== '') return error;
      throw new Error(`${language}/${name}: ${error.stderr}`);
    });
    const document = JSON.parse(stdout) as { scenarios?: Result[]; error?: { message: string } };
    if (document.scenarios === undefined) throw new Error(`${language}/${name}: ${document.error?.message}`);
    return document.scenarios;
  } finally {
    rmSync(state, { recursive: true });
  }
}

/** Returns the table: a row for each scenario, and a column for each application. */
export async function runTable(wanted = ''): Promise<string> {
  const shown = applications.filter((each) => each.join('/').includes(wanted));
  const built = mkdtempSync(join(tmpdir(), 'chaos-go-'));
  const goProgram = join(built, 'application');
  try {
    if (shown.some(([language]) => language === 'go'))
      await run('go', ['build', '-o', goProgram, '.'], { cwd: join(folder, 'go') });
    const results: (readonly Result[])[] = [];
    const next = shown.entries();
    // Each run waits for its application most of the time.
    const work = async (): Promise<void> => {
      for (const [index, application] of next) results[index] = await runChaos(application, goProgram);
    };
    await Promise.all([work(), work()]);
    for (const [index, [language, name]] of shown.entries())
      for (const { name: scenario, verdict, detail } of results[index] ?? [])
        if (rightOnes.has(name) && verdict === 'failed')
          process.stderr.write(`${language}/${name} failed ${scenario}: ${detail}\n`);
    return writeTable(
      shown.map((each) => each.join('/')),
      results,
    );
  } finally {
    rmSync(built, { recursive: true });
  }
}

function writeTable(names: readonly string[], results: readonly (readonly Result[])[]): string {
  const width = Math.max(...scenarios.map(({ name }) => name.length));
  const toCell = ({ verdict, detail }: Result): string =>
    detail.includes('only if the service replays keys') ? 'R' : (letters[verdict] ?? '?');
  const rows = scenarios.map(({ name }) => {
    const cells = results.map((each) => {
      const result = each.find((one) => one.name === name);
      return (result === undefined ? '' : toCell(result)).padStart(3);
    });
    return `${name.padEnd(width)}${cells.join('')}`;
  });
  return [
    ...names.map((name, index) => `${String(index + 1).padStart(3)} ${name}`),
    '',
    `${' '.repeat(width)}${names.map((_, index) => String(index + 1).padStart(3)).join('')}`,
    ...rows,
    '',
    '. passed, F failed, R failed unless the service replays keys, p safe but a person must decide, - not judged, empty: does not apply',
    '',
  ].join('\n');
}

// oxlint-disable-next-line no-console -- the output of `npm run chaos`
if (import.meta.main) console.log(await runTable(process.argv[2]));
