// Runs all checks of CI except the tests, all of them also after a failure. Checks whose failure causes others come first.
import { run } from './run.ts';

const npm = (...words: readonly string[]): readonly string[] => ['npm', 'run', '--silent', ...words];
const checks: Readonly<Record<string, readonly string[]>> = {
  // The examples import the built packages, also for the linter.
  build: npm('build'),
  'generated files': npm('generate', '--', '--check'),
  lint: npm('lint'),
  'unused exports': ['knip'],
  format: ['prettier', '--check', '--log-level', 'warn', '.'],
  size: npm('size'),
  'public API': npm('api'),
  types: npm('typecheck'),
  packages: npm('packaging'),
};

const failed = Object.entries(checks).filter(([name, [command = '', ...args]]) => {
  console.log(`\n── ${name}`);
  return !run(command, args);
});
for (const [name, words] of failed) console.error(`The check "${name}" failed: ${words.join(' ')}`);
if (failed.length === 0) console.log('\nAll checks passed.');
else process.exitCode = 1;
