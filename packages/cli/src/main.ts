import type { Sink } from './environment.ts';
import { exitCodes } from './exit-code.ts';
import { escapeControls, maskKeys } from './masking.ts';
import { run } from './program.ts';

// Until the run has ended, nobody knows how.
process.exitCode = exitCodes.unknown;

const controller = new AbortController();

// Once each, so that a second Ctrl+C ends a run that does not end by itself.
for (const name of ['SIGINT', 'SIGTERM'] as const) {
  process.once(name, () => {
    controller.abort(name);
    process.stdin.destroy();
  });
}

const stdout: Sink = {
  write: (text) =>
    new Promise<void>((resolve, reject) => {
      process.stdout.write(text, (error) => (error ? reject(error) : resolve()));
    }),
};

// Each write to stdout tells whether it was lost; there is nobody to tell that of stderr.
process.stdout.on('error', () => {});
process.stderr.on('error', () => {});
process.on('uncaughtException', (error) => {
  process.stderr.write(`internal error: ${maskKeys(escapeControls(error.message))}\n`);
  process.exit(exitCodes.unknown);
});

// Not awaited: what fails in it is a defect, and not a program that cannot be loaded.
void main();

async function main(): Promise<void> {
  process.exitCode = await run({
    argv: process.argv.slice(2),
    env: process.env,
    stdin: process.stdin,
    stdout,
    stderr: process.stderr,
    signal: controller.signal,
  });
}
