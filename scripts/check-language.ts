// Fails if a name, comment, title or document breaks the style guide in CONTRIBUTING.md.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { capture } from './run.ts';
import { listAnchors } from './language/anchors.ts';
import { checkExports, readEntryPoints } from './language/public-types.ts';
import { checkDocument, checkPath, checkSource, countProse, type Finding } from './language/rules.ts';

const root = join(import.meta.dirname, '..');
const packages = ['contract', 'sdk', 'webhooks', 'mock', 'probe', 'cli'];
/** Derived files, fixtures of old formats, the vocabulary itself and its seeded violations. */
const EXCLUDED =
  /(?:^|\/)(?:generated|results|vectors|fixtures)\/|language\/vocabulary\.ts$|compare-goldens\.ts$|^test\/language\.test\.ts$/;

const anchors = new Map<string, ReadonlySet<string>>();

/** Returns whether a citation exists: relative to the citing file, to its package or to the root of the repository. */
function resolve(citation: string, citing: string): boolean {
  const [path = '', anchor] = citation.split('#');
  const folders = [dirname(citing), /^packages\/\w+/.exec(citing)?.[0] ?? '', ''];
  const found = folders.map((folder) => join(folder, path)).find((file) => existsSync(join(root, file)));
  return found !== undefined && (anchor === undefined || readAnchors(found).has(anchor));
}

function readAnchors(path: string): ReadonlySet<string> {
  const found = anchors.get(path) ?? new Set(listAnchors(readFileSync(join(root, path), 'utf8')));
  anchors.set(path, found);
  return found;
}

function checkFile(path: string): Finding[] {
  const text = readFileSync(join(root, path), 'utf8');
  const findings = checkPath(path);
  if (/\.(?:tsx?|[mc]?js)$/.test(path)) return [...findings, ...checkSource(path, text, resolve)];
  return /\.(?:md|yaml)$|Dockerfile$/.test(path)
    ? [...findings, ...checkDocument(path, text, resolve)]
    : findings;
}

const files = capture('git', ['ls-files', '--cached', '--others', '--exclude-standard'], root)
  .trim()
  .split('\n')
  .filter((path) => !EXCLUDED.test(path) && existsSync(join(root, path)));
const findings = [...files.flatMap(checkFile), ...checkExports(root, readEntryPoints(root, packages))];
for (const { path, line, rule, message } of findings) console.error(`${path}:${line} ${rule}: ${message}`);
const readmes = files.filter((path) => /^(?:packages\/\w+\/)?README\.md$/.test(path));
console.log(
  `Words besides code and tables: ${readmes.map((path) => `${path} ${countProse(readFileSync(join(root, path), 'utf8'))}`).join(', ')}`,
);
console.log(`${findings.length} findings in ${files.length} files.`);
if (findings.length > 0) process.exitCode = 1;
