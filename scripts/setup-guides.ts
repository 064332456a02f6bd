// Runs a guide of docs/start/setup.md as a reader does: writes its files, types its commands, and compares the output.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { readSectionBlocks } from '../docs/test/blocks.ts';
import { findClosedPort } from '../test/support/listen.ts';

/** The guides, each a section of the page, with their headings. */
export const guides = {
  express: 'Express with TypeScript',
  jest: 'CommonJS with jest',
  vite: 'Vite with React',
  next: 'Next',
  shell: 'Shell only',
  python: 'Python',
} as const;

export interface GuideRun {
  readonly commands: number;
  readonly milliseconds: number;
}

interface Terminal {
  readonly child: ChildProcess;
  readonly text: () => string;
  /** Resolves to the exit code. */
  readonly closed: Promise<number | null>;
}

/**
 * Runs the blocks of a guide in order. An output that follows an output is that of the first command that still runs.
 *
 * @throws {Error} when a command fails, or its output is another one.
 */
export async function runGuide(
  name: keyof typeof guides,
  { folder, env }: { readonly folder: string; readonly env: NodeJS.ProcessEnv },
): Promise<GuideRun> {
  // Another program can use those of the pages.
  const port = String(await findClosedPort());
  const adapt = (text: string): string => text.replaceAll(/(?<=localhost:|--port )(?:3000|5173)/g, port);
  const blocks = readSectionBlocks('docs/start/setup.md', guides[name]);
  const [, project = ''] = /^mkdir (\S+) && cd/.exec(blocks[0]?.code ?? '') ?? [];
  const terminals: Terminal[] = [];
  const start = performance.now();
  let commands = 0;
  let last: Terminal | undefined;
  try {
    for (const { language, code, line } of blocks) {
      const cwd = existsSync(join(folder, project)) ? join(folder, project) : folder;
      if (language === 'text') {
        await waitForText(last ?? terminals.find(isRunning), adapt(code), `setup.md:${line}`);
        last = undefined;
      } else if (language === 'sh') {
        if (last) await waitForEnd(last);
        commands += code.trim().split('\n').length;
        last = type(adapt(code), { cwd, env: { ...env, PORT: port } });
        terminals.push(last);
        // A command whose output is not shown must end.
        if (blocks.find((block) => block.line > line)?.language !== 'text') await waitForEnd(last);
      } else {
        const [, file = ''] = /^(?:\/\/|#|<!--) (\S+)/.exec(code) ?? [];
        mkdirSync(dirname(join(cwd, file)), { recursive: true });
        writeFileSync(join(cwd, file), code);
      }
    }
    return { commands, milliseconds: performance.now() - start };
  } finally {
    // As Ctrl+C. `dev` ends its command, which has a process group of its own.
    for (const { child, closed } of terminals.filter(isRunning)) {
      try {
        process.kill(-(child.pid ?? 0), 'SIGINT');
      } catch {
        // It has just ended.
      }
      await closed;
    }
  }
}

function isRunning({ child }: Terminal): boolean {
  return child.exitCode === null && child.signalCode === null;
}

/** Types commands into a new terminal: a process group, as a shell starts it. */
function type(code: string, options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv }): Terminal {
  const child = spawn('bash', ['-ec', code], {
    ...options,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (part: string) => (text += stripVTControlCharacters(part)));
  const closed = once(child, 'close').then(([exitCode]) => exitCode as number | null);
  return { child, text: () => text, closed };
}

async function waitForEnd({ closed, text }: Terminal): Promise<void> {
  const code = await closed;
  if (code !== 0) throw new Error(`A command exited with ${code}.\n${text()}`);
}

/** Waits until a terminal shows the lines in their order. `…` stands for any characters. */
async function waitForText(terminal: Terminal | undefined, expected: string, place: string): Promise<void> {
  if (terminal === undefined) throw new Error(`${place}: no command is running.`);
  const { child, text, closed } = terminal;
  const lines = expected
    .trim()
    .split('\n')
    .map((line) =>
      line
        .trim()
        .replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`)
        .replaceAll('…', '.*')
        .replaceAll(/\s+/g, String.raw`\s+`),
    );
  const pattern = new RegExp(lines.join('[^]*?'));
  const shown = new Promise<number>((resolve) => {
    const check = (): void => void (pattern.test(text()) && resolve(0));
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', check);
    check();
  });
  const code = await Promise.race([shown, closed]);
  if (code === 0 && pattern.test(text())) return;
  throw new Error(`${place}: expected ${pattern.source}; a command exited with ${code}.\n${text()}`);
}
