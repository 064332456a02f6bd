/**
 * Seed files: the initial state of a sandbox as YAML or JSON.
 *
 * @module
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
// Imported by package name, so that the types and errors of both entries are identical.
import { SandboxError, type SandboxSeed } from '@service/mock';
import {
  type Document,
  isAlias,
  isMap,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  visit,
} from 'yaml';
import { type SeedPath, type SeedProblem, type SeedSource, SOURCE } from './source.ts';

/** The names of a seed file that is found without its path. */
const seedFileNames: readonly string[] = ['service.sandbox.yaml', 'service.sandbox.json'];

/** The options of `loadSeedFile`. */
export interface SeedFileOptions {
  /**
   * The variables of `${NAME}` references.
   *
   * @default process.env
   */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /**
   * Returns why a value must not have a variable, such as for a file of somebody else. `path` is that of the value, such as
   * `accounts.0.testKey`, or empty if an anchor can repeat the value.
   *
   * @default every value may have every variable
   */
  readonly refuse?: ((name: string, path: string) => string | undefined) | undefined;
}

/**
 * Returns the path of the seed file in a folder, or undefined without one.
 *
 * @throws {SandboxError} when the folder has more than one
 */
export function findSeedFile(folder: string = '.'): string | undefined {
  const found = seedFileNames.filter((name) => existsSync(join(folder, name)));
  if (found.length > 1)
    throw createError(`There are two seed files: ${found.join(' and ')}. Remove one of them.`);
  return found[0] === undefined ? undefined : join(folder, found[0]);
}

/**
 * Reads a seed file in YAML or JSON, and replaces `${NAME}` by the environment variable. `createMock({ initial })` and
 * `sandbox.load` check its fields, and name the line and column of each problem.
 *
 * @throws {SandboxError} when the file cannot be read or parsed
 * @example
 * const mock = createMock({ initial: loadSeedFile('service.sandbox.yaml') });
 */
export function loadSeedFile(path: string, { env = process.env, refuse }: SeedFileOptions = {}): SandboxSeed {
  const lineCounter = new LineCounter();
  const document = parseDocument(readText(path), { lineCounter, prettyErrors: false });
  const format = (offset: number): string => {
    const { line, col } = lineCounter.linePos(offset);
    return `${line}:${col}`;
  };
  const errors = document.errors.map(({ message, pos }) => `  ${path}:${format(pos[0])}: ${message}`);
  if (errors.length > 0) throw createError([`${path} is not valid YAML or JSON:`, ...errors].join('\n'));
  const { problems, values } = replaceVariables(document, { env, refuse });
  const content = toObject(document, path);
  if (document.contents !== null && !isMap(document.contents))
    throw createError(`${path}:${format(0)}: the file must contain named fields, such as \`accounts\`.`);
  const redact = (message: string): string =>
    [...values].reduce((redacted, [value, name]) => redacted.replaceAll(value, `\${${name}}`), message);
  const source: SeedSource = {
    file: path,
    problems,
    redact,
    locate: (located, lines) =>
      located
        .map((problem, index) => ({ offset: findOffset(document, problem), line: lines[index] ?? '' }))
        .toSorted((a, b) => a.offset - b.offset)
        .map(({ offset, line }) => `${path}:${format(offset)}: ${redact(line)}`),
  };
  return { ...content, [SOURCE]: source } as SourcedSeed;
}

/**
 * Replaces the values of environment variables in a text by their references, such as `${SHOP_KEY}`.
 */
export function redactVariables(seed: SandboxSeed, text: string): string {
  return (seed as Partial<SourcedSeed>)[SOURCE]?.redact(text) ?? text;
}

interface SourcedSeed extends SandboxSeed {
  readonly [SOURCE]: SeedSource;
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    const { code = 'unknown error' } = cause as NodeJS.ErrnoException;
    const reason = code === 'ENOENT' ? 'there is no such file' : code;
    throw createError(`Cannot read the seed file ${path}: ${reason}.`, { cause });
  }
}

function toObject(document: Document, file: string): object {
  if (document.contents === null) return {};
  try {
    return document.toJS() as object;
  } catch (cause) {
    // An alias without its anchor, or more aliases than a person would write.
    throw createError(`${file}: ${cause instanceof Error ? cause.message : 'it cannot be read'}.`, { cause });
  }
}

/** Shorter values are not redacted: they could be part of any word. */
const MIN_REDACTED = 6;

interface Replaced {
  readonly problems: readonly SeedProblem[];
  /** The names of the variables, by their values. */
  readonly values: ReadonlyMap<string, string>;
}

/** Replaces the references in all texts of a document. */
function replaceVariables(document: Document, { env = {}, refuse }: SeedFileOptions): Replaced {
  const problems: SeedProblem[] = [];
  const values = new Map<string, string>();
  visit(document, {
    Scalar(key, node, ancestors) {
      if (key === 'key' || typeof node.value !== 'string') return;
      const nodes = [...ancestors, node];
      const path = toPath(nodes);
      const isAnchored = nodes.some((each) => 'anchor' in each && each.anchor !== undefined);
      node.value = node.value.replaceAll(
        /\$(\$\{[^}]*\}|\{([^}]*)\})/g,
        (text, rest: string, name?: string) => {
          if (name === undefined) return rest;
          const value = Object.hasOwn(env, name) ? env[name] : undefined;
          const refusal = refuse?.(name, isAnchored ? '' : path.join('.'));
          if (refusal !== undefined || !value) {
            problems.push({ path, message: refusal ?? explainVariable(name) });
            return text;
          }
          if (value.length >= MIN_REDACTED) values.set(value, name);
          return value;
        },
      );
    },
  });
  return { problems, values };
}

function explainVariable(name: string): string {
  return /^[A-Za-z_]\w*$/.test(name)
    ? `the environment variable ${name} is not set.`
    : `${JSON.stringify(name)} is not the name of an environment variable. Write $\${…} for the text \${…}.`;
}

/** Returns the names and indexes that lead to the last of some nodes. */
function toPath(nodes: readonly unknown[]): SeedPath {
  return nodes.flatMap((node, index): SeedPath => {
    if (isPair(node)) return isScalar(node.key) ? [String(node.key.value)] : [];
    return isSeq(node) ? [node.items.indexOf(nodes[index + 1])] : [];
  });
}

/** Returns the position of the name or value at a path, or of the last part of the path that the file has. */
function findOffset(document: Document, { path, isName }: SeedProblem): number {
  let node: Node | null = document.contents;
  let offset = startOf(node);
  for (const [index, part] of path.entries()) {
    const collection = isAlias(node) ? node.resolve(document) : node;
    const found: unknown = isSeq(collection)
      ? collection.items[Number(part)]
      : isMap(collection) &&
        collection.items.find(({ key }) => isScalar(key) && String(key.value) === String(part));
    if (!isPair(found)) node = (found || null) as Node | null;
    else if (isName && index === path.length - 1) return startOf(found.key as Node);
    else node = (found.value ?? found.key) as Node;
    if (node === null) return offset;
    offset = startOf(node);
  }
  return offset;
}

function startOf(node: Node | null): number {
  return node?.range?.[0] ?? 0;
}

function createError(message: string, options?: ErrorOptions): SandboxError {
  return new SandboxError('invalid_argument', message, options);
}
