// The code blocks of the documentation.
import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../.vitepress/pages.ts';

/** A fenced code block of a page. */
export interface Block {
  readonly page: string;
  readonly line: number;
  readonly language: string;
  readonly code: string;
  /** The file that contains the code, with an optional `#region`, from a comment before the block. */
  readonly source: string | undefined;
}

/** Returns the files of the repository whose path matches, without ignored ones. */
export function listFiles(pattern: RegExp): string[] {
  const args = ['ls-files', '--cached', '--others', '--exclude-standard'];
  const files = execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim().split('\n');
  return files.filter((file) => pattern.test(file) && existsSync(join(root, file)));
}

/** Returns the pages of the repository that people write, without release notes and the sources of skills. */
export function listPageFiles(): string[] {
  return listFiles(/^(?!\.changeset\/|(?:scripts\/)?skills\/|packages\/\w+\/api\/).*\.md$/);
}

/** Returns the generated pages of the reference, which git ignores. */
export function listGeneratedFiles(): string[] {
  return globSync('docs/reference/**/*.md', { cwd: root })
    .map((file) => file.replaceAll('\\', '/'))
    .toSorted();
}

const PATTERN = /(?:^<!-- ([\w./[\]-]+(?:#[\w-]+)?) -->\n\n)?^```(\w*)[^\n]*\n(.*?)^```$/gms;

/** Returns the code blocks of a page, in order. */
export function readBlocks(page: string): Block[] {
  const text = readFileSync(join(root, page), 'utf8');
  return [...text.matchAll(PATTERN)].map(
    ({ 0: block, 1: source, 2: language = '', 3: code = '', index }) => ({
      page,
      line: text.slice(0, index + block.indexOf('```')).split('\n').length,
      language,
      code,
      source,
    }),
  );
}

/** Returns the code blocks of a section of a page, which ends at the next heading of the second level. */
export function readSectionBlocks(page: string, heading: string): Block[] {
  const lines = readFileSync(join(root, page), 'utf8').split('\n');
  const start = lines.indexOf(`## ${heading}`);
  if (start < 0) throw new Error(`${page} has no section ${heading}.`);
  const end = lines.findIndex((line, index) => index > start && line.startsWith('## '));
  return readBlocks(page).filter(({ line }) => line > start && (end < 0 || line <= end));
}

/** Calls, imports and commands in the cells of a table. Other cells have names and values. */
const CELL_CODE = /`((?:await|import|service-cli) [^`]+|[\w.]+\([^`]*\)[^`]*)`/g;

/** Returns the code in the tables of a page, each cell a block. An expression is awaited. */
function readCells(page: string): Block[] {
  const lines = readFileSync(join(root, page), 'utf8').split('\n');
  return lines.flatMap((text, index) =>
    (text.startsWith('|') ? [...text.matchAll(CELL_CODE)] : []).map(([, cell = '']) => {
      const [, word] = /^(await|import|service-cli) /.exec(cell) ?? [];
      const code = `${word === undefined ? `await ${cell}` : cell}\n`;
      return {
        page,
        line: index + 1,
        language: word === 'service-cli' ? 'sh' : 'ts',
        code,
        source: undefined,
      };
    }),
  );
}

/** Returns the code blocks of all pages that people write, and the code in the tables of READMEs. */
export function listBlocks(): Block[] {
  return listPageFiles().flatMap((page) => [
    ...readBlocks(page),
    ...(/^(?:packages\/\w+\/)?README\.md$/.test(page) ? readCells(page) : []),
  ]);
}

/** Returns the code of a file, or of a region of it without its indentation. */
export function readSource(source: string): string {
  const [path = '', region] = source.split('#');
  const text = readFileSync(join(root, path), 'utf8');
  if (region === undefined) return text;
  const found = new RegExp(
    `^[ \\t]*(?://|#) #region ${region}\\n(.*?)^[ \\t]*(?://|#) #endregion`,
    'ms',
  ).exec(text);
  if (found?.[1] === undefined) throw new Error(`${path} has no region ${region}.`);
  const indentation = /^\n*([ \t]*)/.exec(found[1])?.[1] ?? '';
  // gofmt writes empty lines around the comments of a region.
  const code = found[1].replaceAll(/^\n+|(?<=\n)\n+$/g, '');
  return code.replaceAll(new RegExp(`^${indentation}`, 'gm'), '');
}
