import { HANG_UP } from './environment.ts';
import { exitCodes } from './exit-code.ts';
import { escapeControls, maskKeys } from './masking.ts';
import { run } from './program.ts';

const controller = new AbortController();

// Once each, so that a second Ctrl+C ends a run that does not end by itself.
for (const name of ['SIGINT', 'SIGTERM'] as const) {
  process.once(name, () => {
    controller.abort(name);
    process.stdin.destroy();
  });
}

process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
  if (code === 'EPIPE') {
    controller.abort(HANG_UP);
    return;
  }
  process.stderr.write(`error: The output cannot be written (${code}).\n`);
  process.exitCode ||= exitCodes.refused;
});
process.stderr.on('error', () => {});
process.on('uncaughtException', (error) => {
  process.stderr.write(`internal error: ${maskKeys(escapeControls(error.message))}\n`);
  process.exit(exitCodes.refused);
});

const code = await run({
  argv: process.argv.slice(2),
  env: process.env,
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  signal: controller.signal,
});

// An output that was lost stays a failure; it may be found out before or after the run ends.
process.exitCode = code || (process.exitCode ?? exitCodes.ok);
