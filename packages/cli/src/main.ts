import { promisify } from 'node:util';
import { maskKeys } from './output.ts';
import { escapeControls } from './terminal.ts';
import { run } from './program.ts';
import { exitCodes, type Sink, type Source } from './session.ts';

// The outcome is unknown until the run has ended.
process.exitCode = exitCodes.unknown;

const controller = new AbortController();

// Opened when it is read, to shorten the start.
let input: typeof process.stdin | undefined;
const stdin: Source = {
  get isTTY() {
    return (input ??= process.stdin).isTTY;
  },
  [Symbol.asyncIterator]: () => (input ??= process.stdin)[Symbol.asyncIterator](),
};

// `once`, so that a second Ctrl+C kills a run that does not stop.
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(name, () => {
    controller.abort(name);
    input?.destroy();
  });
}

const stdout: Sink = {
  write: promisify((text: string, done: (error?: Error | null) => void) => process.stdout.write(text, done)),
  isTTY: process.stdout.isTTY,
  columns: process.stdout.columns,
};

// The callback of each write reports a lost output of stdout; lost output of stderr is ignored.
process.stdout.on('error', () => {});
process.stderr.on('error', () => {});
process.on('uncaughtException', (error) => {
  process.stderr.write(`internal error: ${maskKeys(escapeControls(error.message))}\n`);
  process.exit(exitCodes.unknown);
});

// Not awaited: the bin script reports a rejected import as a program that cannot start.
void main();

async function main(): Promise<void> {
  const { argv, env, stderr } = process;
  const { signal } = controller;
  process.exitCode = await run({ argv: argv.slice(2), env, stdin, stdout, stderr, signal });
}
