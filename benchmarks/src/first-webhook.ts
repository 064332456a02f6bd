// Measures the way from an empty folder to the first verified webhook, with the kit and with emulate, and prints a table.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { capture } from '../../scripts/run.ts';
import { countKeystrokes, countTerminals, EMULATE, type Setup, setups } from './first-webhook/setups.ts';

const root = join(import.meta.dirname, '../..');
const ROUNDS = Number(process.argv[2] ?? 3);
/** The ports that the setups name. */
const ports = [3000, 4000];

/** The duration of a setup without typing, in milliseconds. */
interface Times {
  readonly install: number;
  /** From the first file to the verified webhook. */
  readonly run: number;
}

/** Packs the packages into a folder and returns the tarballs. */
function packAll(folder: string): string[] {
  for (const name of ['contract', 'sdk', 'webhooks', 'mock', 'probe', 'cli'])
    capture('npm', ['pack', '--silent', '--pack-destination', folder], join(root, 'packages', name));
  return readdirSync(folder).map((file) => join(folder, file));
}

/** Replaces the packages of a command with their tarballs, and emulate with its version. */
function toExecuted(command: string, tarballs: readonly string[]): string {
  if (!command.startsWith('npm i ')) return command;
  const words = command.split(' ').map((word) => (word === 'emulate' ? EMULATE : word));
  const others = words.filter((word) => !word.startsWith('@service/'));
  const kit = others.length < words.length ? tarballs : [];
  return [...others, ...kit, '--no-audit', '--no-fund', '--prefer-offline'].join(' ');
}

/** The commands of a setup that run on. */
interface Terminals {
  readonly start: (command: string) => void;
  /** Resolves when a command has printed a matching text. */
  readonly waitFor: (pattern: RegExp) => Promise<void>;
  readonly close: () => Promise<void>;
}

function openTerminals(cwd: string): Terminals {
  const children: ReturnType<typeof spawn>[] = [];
  let printed = '';
  let onOutput: (() => void) | undefined;
  const start = (command: string): void => {
    const env = { ...process.env, NEXT_TELEMETRY_DISABLED: '1' };
    const child = spawn('sh', ['-c', command], {
      cwd,
      env,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    children.push(child);
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk: Buffer) => {
        printed += chunk.toString();
        onOutput?.();
      });
    child.once('exit', () => onOutput?.());
  };
  const waitFor = (pattern: RegExp): Promise<void> =>
    new Promise((resolve, reject) => {
      onOutput = () => {
        if (pattern.test(printed)) resolve();
        else if (children.every(({ exitCode }) => exitCode !== null))
          reject(new Error(`Nothing printed ${String(pattern)}:\n${printed}`));
      };
      onOutput();
    });
  const close = async (): Promise<void> => {
    for (const { pid, exitCode } of children)
      if (pid !== undefined && exitCode === null) process.kill(-pid, 'SIGTERM');
    await Promise.all(children.map(async (child) => child.exitCode ?? once(child, 'exit')));
  };
  return { start, waitFor, close };
}

/** Runs a setup in an empty folder. */
async function runSetup({ steps, event }: Setup, tarballs: readonly string[]): Promise<Times> {
  await requireFreePorts();
  const folder = mkdtempSync(join(tmpdir(), 'first-webhook-'));
  const terminals = openTerminals(folder);
  try {
    let install = 0;
    const startedAt = performance.now();
    for (const step of steps) {
      if ('path' in step) {
        mkdirSync(dirname(join(folder, step.path)), { recursive: true });
        writeFileSync(join(folder, step.path), step.text);
      } else if (step.until !== undefined) {
        terminals.start(toExecuted(step.command, tarballs));
        await terminals.waitFor(step.until);
      } else {
        capture('sh', ['-c', toExecuted(step.command, tarballs)], folder);
        if (install === 0) install = performance.now() - startedAt;
      }
    }
    // The first word of the line is not that of a request log.
    await terminals.waitFor(new RegExp(`^\\s*${event.replaceAll('.', '\\.')}\\s*$`, 'm'));
    return { install, run: performance.now() - startedAt - install };
  } finally {
    await terminals.close();
    rmSync(folder, { recursive: true, maxRetries: 10 });
  }
}

async function requireFreePorts(): Promise<void> {
  for (const port of ports) {
    const socket = connect(port, 'localhost');
    const isInUse = await new Promise((resolve) => {
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    });
    socket.destroy();
    if (isInUse) throw new Error(`Port ${port} is in use. The setups need the ports ${ports.join(' and ')}.`);
  }
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}

const toSeconds = (milliseconds: number): string => `${(milliseconds / 1000).toFixed(1)} s`;

function formatRow(setup: Setup, times: readonly Times[]): string {
  const { framework, tool, steps } = setup;
  const cells = [
    framework,
    tool,
    countKeystrokes(setup),
    steps.filter((step) => 'command' in step).length,
    steps.filter((step) => 'path' in step).length,
    countTerminals(setup),
    toSeconds(median(times.map(({ install }) => install))),
    toSeconds(median(times.map(({ run }) => run))),
  ];
  return `| ${cells.join(' | ')} |`;
}

/** Returns the keystrokes of the same app with emulate. */
function countOfEmulate({ framework }: Setup): number {
  const other = setups.find((each) => each.framework === framework && each.tool === 'emulate');
  return other === undefined ? 0 : countKeystrokes(other);
}

const folder = mkdtempSync(join(tmpdir(), 'first-webhook-tarballs-'));
try {
  const tarballs = packAll(folder);
  const times = setups.map((): Times[] => []);
  // The first round fills the cache of npm.
  for (let round = 0; round <= ROUNDS; round += 1)
    for (const [index, setup] of setups.entries()) {
      const measured = await runSetup(setup, tarballs);
      if (round > 0) times[index]?.push(measured);
    }
  const rows = setups.map((setup, index) => formatRow(setup, times[index] ?? []));
  const head = '| app | tool | keystrokes | commands | files | terminals | install | first file to webhook |';
  process.stdout.write(`${[head, head.replaceAll(/[^|]+/g, ' --- '), ...rows].join('\n')}\n`);
  if (setups.some((setup) => setup.tool === 'kit' && countKeystrokes(setup) > countOfEmulate(setup))) {
    process.stderr.write('The kit needs more keystrokes than emulate.\n');
    process.exitCode = 1;
  }
} finally {
  rmSync(folder, { recursive: true });
}
