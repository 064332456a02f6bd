// Makes a module of a code block, so that the compiler checks it and tests run it.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { root } from '../.vitepress/pages.ts';
import type { Block } from './blocks.ts';

/** Outside of this folder, so that imports find the packages that the repository installs. */
export const folder: string = join(root, '.tsc/code-blocks');

const contexts = join(root, 'docs/test/contexts');

/** Returns the file with the surroundings of a block: that of its page, else that of its package, else the common one. */
function findContext({ page }: Block): string {
  const [, owner, name] = /^packages\/(\w+)\/(?:docs\/)?([\w-]+)/.exec(page) ?? [];
  const files = [`${owner}-${name}.ts`, `${owner}.ts`, 'common.ts'].map((file) => join(contexts, file));
  return files.find((file) => existsSync(file)) ?? '';
}

/** Returns the names that a module exports. */
function listExports(file: string): string[] {
  const { text } = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.ESNext);
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.ESNext, true);
  return source.statements.flatMap((statement) => {
    if (ts.isExportDeclaration(statement)) {
      const { exportClause, moduleSpecifier } = statement;
      if (exportClause && ts.isNamedExports(exportClause))
        return exportClause.elements.map(({ name }) => name.getText());
      return listExports(join(contexts, (moduleSpecifier as ts.StringLiteral).text));
    }
    if (!ts.isVariableStatement(statement) || !statement.modifiers?.some(isExport)) return [];
    return statement.declarationList.declarations.flatMap(({ name }) => listNames(name));
  });
}

const isExport = ({ kind }: ts.ModifierLike): boolean => kind === ts.SyntaxKind.ExportKeyword;

function listNames(name: ts.BindingName): string[] {
  if (ts.isIdentifier(name)) return [name.text];
  return name.elements.flatMap((element) => (ts.isBindingElement(element) ? listNames(element.name) : []));
}

/** Returns the names that a block uses, and those that it declares at its top level or imports. */
function readNames(code: string): { readonly used: Set<string>; readonly declared: Set<string> } {
  const source = ts.createSourceFile('block.ts', code, ts.ScriptTarget.ESNext, true);
  const used = new Set<string>();
  const declared = new Set<string>();
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node)) used.add(node.text);
    ts.forEachChild(node, visit);
  };
  visit(source);
  for (const statement of source.statements) {
    if (ts.isVariableStatement(statement))
      for (const { name } of statement.declarationList.declarations)
        for (const text of listNames(name)) declared.add(text);
    else if (ts.isImportDeclaration(statement)) {
      const { name, namedBindings } = statement.importClause ?? {};
      if (name) declared.add(name.text);
      if (namedBindings && ts.isNamespaceImport(namedBindings)) declared.add(namedBindings.name.text);
      if (namedBindings && ts.isNamedImports(namedBindings))
        for (const element of namedBindings.elements) declared.add(element.name.text);
    } else if ((ts.isFunctionDeclaration(statement) || ts.isClassDeclaration(statement)) && statement.name)
      declared.add(statement.name.text);
  }
  return { used, declared };
}

/** Writes a module with the code of a block, which imports all names that it does not declare. Returns its path. */
export function writeModule(block: Block): string {
  const name = `${block.page.replaceAll(/\W+/g, '-')}-${block.line}.ts`;
  const context = findContext(block);
  const { used, declared } = readNames(block.code);
  const names = [...new Set(listExports(context))].filter((word) => used.has(word) && !declared.has(word));
  const imports = `import ${JSON.stringify(context)};\nimport { ${names.join(', ')} } from ${JSON.stringify(context)};\n`;
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, name),
    `${imports}${block.code.replaceAll('…', '4eC39HqLyjWDarjt')}\nexport {};\n`,
  );
  return join(folder, name);
}
