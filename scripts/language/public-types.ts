// The rules of the language check for the public entry points: one meaning per exported type name.
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import ts from 'typescript';
import type { Finding } from './rules.ts';

/** The public entry points of a package: name of the entry and path of its source. */
export type EntryPoints = ReadonlyMap<string, string>;

/** Reads the entry points of packages from their `exports` maps. */
export function readEntryPoints(root: string, packages: readonly string[]): EntryPoints {
  const entries = packages.flatMap((name) => {
    const folder = join(root, 'packages', name);
    const { exports = {} } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
      readonly exports?: Readonly<Record<string, { readonly '@service/source'?: string }>>;
    };
    return Object.entries(exports).flatMap(([subpath, { '@service/source': source }]) =>
      source?.endsWith('.ts') ? [[`${name}${subpath.slice(1)}`, join(folder, source)] as const] : [],
    );
  });
  return new Map(entries);
}

/** Checks the exports of entry points. Types of the contract may be exported again under their names. */
export function checkExports(root: string, entries: EntryPoints): Finding[] {
  const program = ts.createProgram([...entries.values()], {
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    customConditions: ['@service/source'],
    allowImportingTsExtensions: true,
    noEmit: true,
    skipLibCheck: true,
  });
  const checker = program.getTypeChecker();
  const findings: Finding[] = [];
  const types = new Map<string, { readonly symbol: ts.Symbol; readonly entry: string }>();
  const contractNames = new Set<string>();
  for (const [entry, path] of entries) {
    const file = program.getSourceFile(path);
    const module = file && checker.getSymbolAtLocation(file);
    for (const exported of module ? checker.getExportsOfModule(module) : []) {
      const symbol = resolveAlias(exported, checker);
      const [declaration] = symbol.declarations ?? [];
      if (declaration === undefined) continue;
      const place = placeOf(declaration, root);
      if (place.path.includes('node_modules')) continue;
      if (entry.startsWith('contract')) contractNames.add(exported.name);
      if (!(symbol.flags & ts.SymbolFlags.Type)) continue;
      const other = types.get(exported.name);
      if (other === undefined) types.set(exported.name, { symbol, entry });
      else if (other.symbol !== symbol && !contractNames.has(exported.name)) {
        const message = `${exported.name} of ${entry} is another type than that of ${other.entry}.`;
        findings.push({ ...place, rule: 'ambiguous-type', message });
      }
    }
  }
  return findings;
}

function resolveAlias(symbol: ts.Symbol, checker: ts.TypeChecker): ts.Symbol {
  return symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
}

function placeOf(declaration: ts.Declaration, root: string): Pick<Finding, 'path' | 'line'> {
  const file = declaration.getSourceFile();
  const { line } = file.getLineAndCharacterOfPosition(declaration.getStart(file));
  return { path: relative(root, file.fileName), line: line + 1 };
}
