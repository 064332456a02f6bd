// The environment variables that the source reads.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { capture } from '../../scripts/run.ts';
import { root } from '../.vitepress/pages.ts';

/** How code reads a variable: a member of `env`, a pattern that takes one apart, or a call with its name. */
const READS: readonly RegExp[] = [
  /\benv\??\.([A-Z][A-Z0-9_]+)\b/g,
  /\benv\[['"]([A-Z][A-Z0-9_]+)['"]\]/g,
  /\benviron(?:\.get\(|\[)['"]([A-Z][A-Z0-9_]+)['"]/g,
  /'(SERVICE_[A-Z_]+)'/g,
];
const DESTRUCTURED = /\{([^{}]*)\}\s*=\s*(?:[\w.]+\.)?env\b/g;
/** Files with code that users run, without tests. The pages of the dashboard read no variables. */
const SOURCES = /^(?!packages\/dashboard\/|.*\/test\/).*\.(?:tsx?|[mc]?js|py|sh)$/;
/** In a shell script, a variable with a default value. Others are its own. */
const SHELL = /\$\{([A-Z][A-Z0-9_]+):-/g;

const list = (pattern: RegExp, text: string): string[] =>
  Array.from(text.matchAll(pattern), ([, name = '']) => name);

/** Returns the names of the variables that a source reads. */
export function findVariables(file: string, text: string): string[] {
  const code = text.replaceAll(/^\s*(?:\/?\*|\/\/|#).*$/gm, '');
  if (file.endsWith('.sh')) return list(SHELL, code);
  const destructured = list(DESTRUCTURED, code).flatMap((names) => list(/\b([A-Z][A-Z0-9_]+)\b/g, names));
  const isMeta = new Set(list(/import\.meta\.env\.([A-Z]+)/g, code));
  return [...READS.flatMap((pattern) => list(pattern, code)), ...destructured].filter(
    (name) => !isMeta.has(name),
  );
}

/** Returns the variables that packages and examples read. */
export function readVariables(): ReadonlySet<string> {
  const files = capture('git', ['ls-files', 'packages', 'examples'], root).trim().split('\n');
  return new Set(
    files
      .filter((path) => SOURCES.test(path))
      .flatMap((file) => findVariables(file, readFileSync(join(root, file), 'utf8'))),
  );
}
