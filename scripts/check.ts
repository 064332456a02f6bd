// Runs all checks of CI except the tests. Checks whose failure causes others come first.
import { run } from './run.ts';

const checks: readonly [name: string, command: string, ...args: string[]][] = [
  // The examples import the built packages, also for the linter.
  ['build', 'npm', 'run', '--silent', 'build'],
  ['generated files', 'npm', 'run', '--silent', 'generate', '--', '--check'],
  ['lint', 'npm', 'run', '--silent', 'lint'],
  ['unused exports', 'knip'],
  ['format', 'prettier', '--check', '--log-level', 'warn', '.'],
  ['size', 'npm', 'run', '--silent', 'size'],
  ['types', 'npm', 'run', '--silent', 'typecheck'],
  ['packages', 'npm', 'run', '--silent', 'packaging'],
];

for (const [name, command, ...args] of checks) {
  console.log(`\n── ${name}`);
  if (!run(command, args)) {
    console.error(`\nThe check "${name}" failed: ${[command, ...args].join(' ')}`);
    process.exit(1);
  }
}
console.log('\nAll checks passed.');
