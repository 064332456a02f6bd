// The five-minute tour: its files and commands, in their order, in an empty folder with the packed packages.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pack, packages } from '../../scripts/packed.ts';
import { createEnvironment, type Registry, serveRegistry } from '../../scripts/registry.ts';
import { findClosedPort } from '../../test/support/listen.ts';
import { type Block, readBlocks, readSectionBlocks } from './blocks.ts';

const blocks = readBlocks('docs/start/tour.md');
const folder = mkdtempSync(join(tmpdir(), 'tour-'));
const project = join(folder, 'payouts');
const environment = createEnvironment(dirname(process.execPath));

/** The command that the reader leaves running in the first terminal. */
const APP = 'npx service-cli dev -- npm start\n';

interface Terminal {
  readonly process: ChildProcess;
  readonly output: { stdout: string; stderr: string };
  /** The exit code, once the output of all its processes has ended. */
  readonly closed: Promise<number | null>;
}

/** Starts commands in a process group, as a terminal does. */
function type(commands: string): Terminal {
  const child = spawn('bash', ['-ec', commands], {
    cwd: existsSync(project) ? project : folder,
    env: environment,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output.stdout += text.replaceAll('\r', '')));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output.stderr += text));
  return { process: child, output, closed: once(child, 'close').then(([code]) => code as number | null) };
}

/** Returns a pattern of lines in their order. `…` stands for any characters of a word. */
function toPattern(lines: string): RegExp {
  const escaped = lines
    .trimEnd()
    .split('\n')
    .map((line) => line.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`).replaceAll('…', String.raw`\w+`));
  return new RegExp(`^${escaped.join('$[^]*^')}$`, 'm');
}

/** Waits until a terminal shows the lines. Fails if its command ends before. */
async function waitForOutput({ process: child, output, closed }: Terminal, pattern: RegExp): Promise<void> {
  const shown = new Promise<void>((resolve) => {
    const check = (): void => void (pattern.test(output.stdout) && resolve());
    child.stdout?.on('data', check);
    check();
  });
  await Promise.race([shown, closed]);
  expect(output.stdout).toMatch(pattern);
}

describe('the five-minute tour', () => {
  let registry: Registry;
  let app: Terminal | undefined;

  beforeAll(async () => {
    registry = await serveRegistry(packages.map((name) => pack(name, folder)));
    // The port 3000 of the page can be in use.
    Object.assign(environment, {
      'npm_config_@service:registry': registry.url,
      PORT: String(await findClosedPort()),
    });
  });
  afterAll(async () => {
    if (app?.process.exitCode === null && app.process.signalCode === null)
      process.kill(-(app.process.pid ?? 0), 'SIGKILL');
    registry.close();
    rmSync(folder, { recursive: true });
  });

  /** Returns an address from the first line of `dev`. */
  function readAddress(name: string): string {
    return new RegExp(`${name} at ([^\\s,]+)`).exec(app?.output.stderr ?? '')?.[1] ?? '';
  }

  /** Returns the pattern of the output that the page shows for a block. */
  function findPattern(index: number): RegExp {
    const shown = [blocks[index], blocks[index + 1]].find((block) => block?.language === 'text');
    return shown === undefined ? /^/ : toPattern(shown.code);
  }

  /** Writes the file of a block, or types its commands. Returns the output. */
  async function follow({ language, code }: Block, index: number): Promise<string> {
    if (language === 'ts') {
      const name = /^\/\/ (\w+\.ts)\n/.exec(code)?.[1] ?? 'a comment with the name of the file';
      writeFileSync(join(project, name), code);
      return '';
    }
    // The output of the app follows that of a command.
    const terminal =
      language === 'text' && app !== undefined
        ? app
        : type(code.replaceAll('localhost:3000', `localhost:${environment['PORT']}`));
    if (code === APP) app = terminal;
    if (terminal === app) {
      await waitForOutput(terminal, findPattern(index));
      // Its default port can be in use.
      environment['SERVICE_BASE_URL'] = readAddress('runs');
    } else if ((await terminal.closed) !== 0) {
      throw new Error(`The command failed: ${terminal.output.stderr}`);
    }
    return terminal.output.stdout;
  }

  const steps = blocks
    .map((block, index) => [block.line, block, index] as const)
    .filter(([, { language }, index]) => language !== 'text' || blocks[index - 1]?.language === 'text');
  const end = steps.findIndex(([, { code }]) => code.startsWith('rm '));

  it.each(steps.slice(0, end))('works as typed: line %s', async (_, block, index) => {
    expect(await follow(block, index)).toMatch(findPattern(index));
  });

  it('shows the dashboard at the printed address until Ctrl+C', async () => {
    const address = readAddress('dashboard');
    const response = await fetch(address, { headers: { accept: 'text/html' } });
    expect(response.status).toBe(200);
    expect(await response.text()).toMatch(/<title>.+<\/title>/);
    process.kill(-(app?.process.pid ?? 0), 'SIGINT');
    await app?.closed;
    await expect(fetch(address)).rejects.toThrow('fetch failed');
    delete environment['SERVICE_BASE_URL'];
  });

  it.each(steps.slice(end))('works as typed after Ctrl+C: line %s', async (_, block, index) => {
    expect(await follow(block, index)).toMatch(findPattern(index));
  });

  it('has the app of the Express setup', () => {
    const setup = readSectionBlocks('docs/start/setup.md', 'Express with TypeScript').find(
      ({ language }) => language === 'ts',
    );
    expect(blocks.map(({ code }) => code)).toContain(setup?.code);
  });
});
