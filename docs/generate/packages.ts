// The reference of the packages: the declarations of each entry with their doc comments, as an editor shows them.
import { join } from 'node:path';
import ts from 'typescript';
import { listEntries, root } from '../../scripts/packed.ts';
import { listExports } from '../../scripts/source.ts';
import { formatBlock, type Pages } from './markdown.ts';

/** Generates one page per package with an API for code, from its built declarations. */
export function generatePackages(): Pages {
  return new Map(['sdk', 'webhooks', 'mock', 'probe'].map((name) => [name, formatPackage(name)]));
}

function formatPackage(name: string): string {
  const folder = join(root, 'packages', name, 'dist');
  const entries = Object.keys(listEntries(name)).toSorted((one, other) => order(one) - order(other));
  const files = entries.map((entry) => join(folder, `${entry}.d.ts`));
  const program = ts.createProgram(files, { module: ts.ModuleKind.NodeNext, target: ts.ScriptTarget.ESNext });
  const shown = new Set<ts.Symbol>();
  const sections = entries.map((entry, index) => {
    const exported = describeExports(program, files[index] ?? '').filter(({ symbol }) => !shown.has(symbol));
    for (const { symbol } of exported) shown.add(symbol);
    const parts = exported.map((each) => `### ${each.name}\n\n${formatBlock('ts', each.code)}`);
    return parts.length === 0 ? '' : `## ${nameEntry(name, entry)}\n\n${parts.join('')}`;
  });
  return `# Types of @service/${name}\n\nThe exports of each entry, as an editor shows them.\n\n${sections.join('')}`;
}

/** The main entry is first. */
const order = (entry: string): number => (entry === 'index' ? 0 : 1);

const nameEntry = (name: string, entry: string): string =>
  entry === 'index' ? `@service/${name}` : `@service/${name}/${entry}`;

interface Exported {
  readonly name: string;
  readonly symbol: ts.Symbol;
  readonly code: string;
}

/** Returns the exports of a module that it or its chunks declare, by name. Those generated from the API document are on its page. */
function describeExports(program: ts.Program, file: string): Exported[] {
  const checker = program.getTypeChecker();
  return listExports(program, file)
    .map((each) => {
      const symbol = each.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(each) : each;
      const code = (symbol.declarations ?? []).filter(isOwn).map(formatDeclaration).join('\n');
      return { name: each.name, symbol, code };
    })
    .filter(({ name, code }) => code !== '' && !['components', 'operations', 'paths'].includes(name))
    .toSorted((one, other) => one.name.localeCompare(other.name));
}

const isOwn = (node: ts.Declaration): boolean => !node.getSourceFile().fileName.includes('node_modules');

/** Returns a declaration with its doc comment, and without the words that only a file of declarations has. */
function formatDeclaration(node: ts.Declaration): string {
  const statement = ts.isVariableDeclaration(node) ? node.parent.parent : node;
  const source = statement.getSourceFile();
  return source.text
    .slice(statement.getStart(source, true), statement.end)
    .replace(/^((?:\/\*\*[^]*?\*\/\s*)?)(?:export )?(?:declare )?/, '$1');
}
