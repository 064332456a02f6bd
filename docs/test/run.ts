// Writes the code blocks as modules of an ESM and a CommonJS package that have the packed packages, compiles and runs them.
import { spawn, spawnSync } from 'node:child_process';
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import ts from 'typescript';
import { install, pack, packages } from '../../scripts/packed.ts';
import { childEnv } from '../../test/support/child-env.ts';
import { root } from '../.vitepress/pages.ts';
import type { Block } from './blocks.ts';

export const formats = ['esm', 'cjs'] as const;
export type Format = (typeof formats)[number];

const contexts = join(root, 'docs/test/contexts');

/** The options of a strict application. Its own checks of unused names do not apply to parts of a program. */
const compilerOptions = {
  module: 'nodenext',
  target: 'esnext',
  lib: ['esnext', 'dom', 'dom.iterable'],
  types: ['node'],
  jsx: 'react-jsx',
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  rewriteRelativeImportExtensions: true,
  resolveJsonModule: true,
  skipLibCheck: true,
};

/** Installs the packed packages, and links other packages of this repository that blocks import. */
export function createProject(folder: string): void {
  const tarballs = packages.map((name) => pack(name, folder).tarball);
  install(folder, tarballs);
  const target = join(folder, 'node_modules');
  for (const name of readdirSync(join(root, 'node_modules')))
    if (!name.startsWith('.') && !existsSync(join(target, name)))
      symlinkSync(join(root, 'node_modules', name), join(target, name));
  for (const format of formats) {
    const manifest = JSON.stringify({ type: format === 'esm' ? 'module' : 'commonjs' });
    mkdirSync(join(folder, format));
    writeFileSync(join(folder, format, 'package.json'), manifest);
    writeFileSync(join(folder, format, 'profile.json'), '{}\n');
  }
  for (const file of globSync('*.ts', { cwd: contexts }))
    writeBoth(folder, `contexts/${file}`, readFileSync(join(contexts, file), 'utf8'));
}

/** Compiles all modules, and returns the errors. */
export function compile(folder: string): string {
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: [...formats] }));
  const tsc = join(root, 'node_modules/@typescript/native/bin/tsc');
  return spawnSync(process.execPath, [tsc, '-p', folder], { encoding: 'utf8' }).stdout;
}

const RUN = `const [context, module] = process.argv.slice(1);
await (await import(context)).ready;
const { default: value } = await import(module);
await value?.default;
process.exit(0);`;

/** Runs the module of a block in a process of its own. Returns what it writes to stderr if it fails. */
export async function runModule(folder: string, format: Format, block: Block): Promise<string> {
  const cwd = mkdtempSync(join(folder, 'run-'));
  writeFileSync(join(cwd, 'service.sandbox.yaml'), 'seed: demo\n');
  const files = [findContext(block), getModule(block)].map((file) => join(folder, format, file));
  const args = block.code.includes("from 'vitest'")
    ? [
        join(root, 'node_modules/vitest/vitest.mjs'),
        'run',
        '--root',
        dirname(files[1] ?? ''),
        basename(files[1] ?? ''),
      ]
    : ['--input-type=module', '--eval', RUN, ...files.map((file) => file.replace(/\.tsx?$/, '.js'))];
  const child = spawn(process.execPath, args, { cwd, env: childEnv, stdio: ['ignore', 'ignore', 'pipe'] });
  const [output, code] = await Promise.all([
    readText(child.stderr),
    new Promise((resolve) => child.once('close', resolve)),
  ]);
  return code === 0 ? '' : output;
}

/** Returns the file with the surroundings of a block: that of its page, else that of its package, else the common one. */
function findContext({ page }: Block): string {
  const [, owner, name] = /^(?:packages\/(\w+)\/)?(?:docs\/)?([\w-]+)/.exec(page) ?? [];
  const files = [owner === undefined ? `${name}.ts` : `${owner}-${name}.ts`, `${owner}.ts`, 'common.ts'];
  return `contexts/${files.find((file) => existsSync(join(contexts, file)))}`;
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

/** Returns the path of the module of a block: that of its file, else one with the page and the line. */
function getModule({ page, line, language, source }: Block): string {
  if (source !== undefined) return source.replace(/#.*/, '');
  return `${page.replaceAll(/\W+/g, '-')}-${line}.${language.endsWith('x') ? 'tsx' : 'ts'}`;
}

/** Writes the modules of a block: the files beside its own file, else its code with the names that it does not declare. */
export function writeModules(folder: string, block: Block): void {
  const module = getModule(block);
  if (block.source !== undefined) {
    for (const file of globSync(`${dirname(module)}/*.ts`, { cwd: root }))
      writeBoth(folder, file, readFileSync(join(root, file), 'utf8'));
    return;
  }
  const context = findContext(block);
  const { used, declared } = readNames(block.code);
  const names = [...new Set(listExports(join(root, 'docs/test', context)))].filter(
    (word) => used.has(word) && !declared.has(word),
  );
  const imports = `import { ${names.join(', ')} } from './${context}';\n`;
  writeBoth(folder, module, `${imports}${block.code.replaceAll('…', '4eC39HqLyjWDarjt')}\nexport {};\n`);
  // The file that other samples import by its name.
  const [, file] = /^\/\/ (\w+\.ts)\n/.exec(block.code) ?? [];
  if (file !== undefined) writeBoth(folder, file, block.code);
}

function writeBoth(folder: string, file: string, code: string): void {
  for (const format of formats) {
    mkdirSync(dirname(join(folder, format, file)), { recursive: true });
    // A Next app resolves `@/` to its root folder.
    const module = code.replace("'@/webhooks'", "'./webhooks.ts'");
    writeFileSync(join(folder, format, file), format === 'esm' ? module : toCommonJs(module));
  }
}

const isAwait = (node: ts.Node): boolean =>
  ts.isAwaitExpression(node) ||
  (ts.isForOfStatement(node) && node.awaitModifier !== undefined) ||
  (ts.isVariableDeclarationList(node) && /^await using\b/.test(node.getText()));

/** Moves code with a top-level await into a function, whose result is the default export, and replaces the syntax that only ESM has. */
function toCommonJs(code: string): string {
  const script = code
    .replaceAll(/ with \{ type: 'json' \}/g, '')
    .replaceAll('import.meta.url', "'file://' + __filename");
  const { statements } = ts.createSourceFile(
    'block.tsx',
    script,
    ts.ScriptTarget.ESNext,
    true,
    ts.ScriptKind.TSX,
  );
  const hasAwait = (node: ts.Node): boolean =>
    isAwait(node) || (!ts.isFunctionLike(node) && (ts.forEachChild(node, hasAwait) ?? false));
  if (!statements.some(hasAwait)) return script;
  const isImport = (statement: ts.Statement): boolean =>
    ts.isImportDeclaration(statement) || ts.isExportDeclaration(statement);
  const imports = statements.filter(isImport).map((statement) => statement.getFullText());
  const others = statements
    .filter((statement) => !isImport(statement))
    .map((statement) => statement.getFullText());
  const body = others
    .join('')
    .replaceAll(/^export default /gm, 'void ')
    .replaceAll(/^export /gm, '');
  return `${imports.join('')}\nexport default (async () => {${body}\n})();\n`;
}
