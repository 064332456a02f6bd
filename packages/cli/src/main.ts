import { promisify } from 'node:util';
import { maskKeys } from './output.ts';
import { escapeControls } from './terminal.ts';
import { run } from './program.ts';
import { exitCodes, type Sink } from './session.ts';

// The outcome is unknown until the run has ended.
process.exitCode = exitCodes.unknown;

// A mock that has kept many payments takes half of the memory: new objects in little space, and the heap grows in small steps.
const { setFlagsFromString } = process.getBuiltinModule('node:v8');
for (const flag of ['--semi-space-growth-factor=1', '--heap-growing-percent=20']) setFlagsFromString(flag);

const controller = new AbortController();

// `once`, so that a second Ctrl+C kills a run that does not stop.
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(name, () => {
    controller.abort(name);
    process.stdin.destroy();
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
  const { argv, env, stdin, stderr } = process;
  const { signal } = controller;
  process.exitCode = await run({ argv: argv.slice(2), env, stdin, stdout, stderr, signal });
}
