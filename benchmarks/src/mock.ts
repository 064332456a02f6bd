// Measures @service/mock and prints a markdown table; progress goes to stderr.
import { spawnSync } from 'node:child_process';
import { cpus, availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { type Figure, toTable } from './figure.ts';

const PARTS = ['http', 'dashboard', 'in-process', 'start', 'history', 'accounts', 'waits', 'bundle'] as const;
type Part = (typeof PARTS)[number];

const [requestedPart] = process.argv.slice(2);
if (requestedPart === undefined) measureAll();
else process.stdout.write(JSON.stringify(await measure(requestedPart as Part)));

/** Measures each part in its own process, so that no part profits from code or memory of another. */
function measureAll(): void {
  process.stdout.write(`Node ${process.version}, ${availableParallelism()} of ${cpus().length} cores\n`);
  for (const part of PARTS) {
    process.stderr.write(`measuring ${part}\n`);
    const { status, stdout } = spawnSync(
      process.execPath,
      ['--expose-gc', '--max-old-space-size=8192', fileURLToPath(import.meta.url), part],
      {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    if (status !== 0) {
      process.exitCode = 1;
      process.stderr.write(`The part ${part} could not be measured.\n`);
    } else process.stdout.write(`\n## ${part}\n\n${toTable(JSON.parse(stdout) as Figure[])}\n`);
  }
}

async function measure(part: Part): Promise<Figure[]> {
  switch (part) {
    case 'http':
      return (await import('./http.ts')).measureHttp();
    case 'dashboard':
      return (await import('./dashboard.ts')).measureDashboard();
    case 'in-process':
      return (await import('./in-process.ts')).measureInProcess();
    case 'start':
      return (await import('./start.ts')).measureStart();
    case 'history':
      return (await import('./history.ts')).measureHistory();
    case 'accounts':
      return (await import('./accounts.ts')).measureAccounts();
    case 'waits':
      return (await import('./waits.ts')).measureWaits();
    case 'bundle':
      return (await import('./bundle.ts')).measureBundle();
    default:
      throw new Error(`Unknown part ${String(part satisfies never)}; use one of ${PARTS.join(', ')}.`);
  }
}
