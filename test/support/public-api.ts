// The public names of the packages and their doc comments: the exports of the entries, and every property that a
// user can reach from them.
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import ts from 'typescript';

/** A program with the source of the entries of packages. */
export interface PublicApi {
  readonly root: string;
  readonly program: ts.Program;
  /** The source files of the entries, by import path. */
  readonly entries: ReadonlyMap<string, string>;
}

/** A public name and its doc comment. */
export interface PublicName {
  readonly name: string;
  /** The name of the declaration that contains a property; '' for an export. */
  readonly owner: string;
  /** The import path of an entry that exports the name or leads to it. */
  readonly entry: string;
  /** The file, relative to the root, and the line. */
  readonly place: string;
  readonly declaration: ts.Declaration;
  readonly text: string;
  /** The texts of the tags, such as `default` and `example`. */
  readonly tags: readonly { readonly name: string; readonly text: string }[];
}

interface Manifest {
  readonly name: string;
  readonly exports: Readonly<Record<string, { readonly '@service/source'?: string }>>;
}

/** The root of the repository. */
export const repository: string = join(import.meta.dirname, '../..').replaceAll('\\', '/');

/** The compiler options of the repository, for source without declarations. */
export const compilerOptions: ts.CompilerOptions = {
  ...ts.parseJsonConfigFileContent(
    ts.readConfigFile(join(repository, 'test/tsconfig.json'), (path) => ts.sys.readFile(path)).config,
    ts.sys,
    join(repository, 'test'),
  ).options,
  noUnusedLocals: false,
  noUnusedParameters: false,
};

/** Compiles the entries that the `exports` of packages name. */
export function readPublicApi(packages: readonly string[]): PublicApi {
  const entries = packages.flatMap((folder) => {
    const path = join(repository, 'packages', folder);
    const { name, exports } = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')) as Manifest;
    return Object.entries(exports).flatMap(([subpath, { '@service/source': source }]) =>
      source?.endsWith('.ts') ? [[`${name}${subpath.slice(1)}`, join(path, source)] as const] : [],
    );
  });
  return compilePublicApi(repository, new Map(entries));
}

/** Compiles entries. */
function compilePublicApi(root: string, entries: ReadonlyMap<string, string>): PublicApi {
  return { root, entries, program: createProgram([...entries.values()]) };
}

const parsed = new Map<string, ts.SourceFile | undefined>();

/**
 * Creates a program of files and of `modules`, which are no files, by path. Parses the files of the repository and of
 * its packages once, for all programs.
 */
export function createProgram(
  files: readonly string[],
  modules: ReadonlyMap<string, string> = new Map(),
): ts.Program {
  const host = ts.createCompilerHost(compilerOptions, true);
  const readFile = host.readFile.bind(host);
  const fileExists = host.fileExists.bind(host);
  const getSourceFile = host.getSourceFile.bind(host);
  host.readFile = (path) => modules.get(path) ?? readFile(path);
  host.fileExists = (path) => modules.has(path) || fileExists(path);
  host.getSourceFile = (path, ...rest) => {
    if (modules.has(path) || !path.startsWith(`${repository}/`)) return getSourceFile(path, ...rest);
    if (!parsed.has(path)) parsed.set(path, getSourceFile(path, ...rest));
    return parsed.get(path);
  };
  return ts.createProgram([...files, ...modules.keys()], compilerOptions, host);
}

/** Returns the public names of all entries, once each. Skips declarations outside the root, and those of the API document. */
export function listPublicNames({ root, program, entries }: PublicApi): PublicName[] {
  const checker = program.getTypeChecker();
  const found = new Map<ts.Declaration, PublicName>();
  const isOurs = (declaration: ts.Node): boolean => {
    const { fileName } = declaration.getSourceFile();
    return fileName.startsWith(`${root}/`) && !/\/node_modules\/|\/contract\/src\/generated\//.test(fileName);
  };
  const add = (symbol: ts.Symbol, entry: string): void => {
    const [declaration] = symbol.declarations ?? [];
    if (declaration === undefined || found.has(declaration)) return;
    const file = declaration.getSourceFile();
    const { line } = file.getLineAndCharacterOfPosition(declaration.getStart(file));
    found.set(declaration, {
      name: symbol.name,
      owner: findOwner(declaration),
      entry,
      place: `${relative(root, file.fileName).replaceAll('\\', '/')}:${line + 1}`,
      declaration,
      text: ts.displayPartsToString(symbol.getDocumentationComment(checker)),
      tags: symbol
        .getJsDocTags(checker)
        .map(({ name, text }) => ({ name, text: ts.displayPartsToString(text) })),
    });
  };
  const visit = createVisitor(checker, isOurs, add);
  for (const [entry, path] of entries) {
    const file = program.getSourceFile(path);
    const module = file && checker.getSymbolAtLocation(file);
    if (module === undefined) throw new Error(`${path} is not a module.`);
    for (const exported of checker.getExportsOfModule(module)) {
      const isAlias = (exported.flags & ts.SymbolFlags.Alias) !== 0;
      const symbol = isAlias ? checker.getAliasedSymbol(exported) : exported;
      if (!symbol.declarations?.some(isOurs)) continue;
      add(symbol, entry);
      visit(symbol, entry);
    }
  }
  return [...found.values()];
}

function findOwner(declaration: ts.Node): string {
  const { parent } = declaration;
  if (ts.isSourceFile(parent)) return '';
  const name = ts.getNameOfDeclaration(parent as ts.Declaration);
  return name === undefined ? findOwner(parent) : name.getText();
}

const hidden = ts.ModifierFlags.Private | ts.ModifierFlags.Protected;

/** Returns a function that calls `add` for each property that can be reached from an exported symbol. */
function createVisitor(
  checker: ts.TypeChecker,
  isOurs: (declaration: ts.Node) => boolean,
  add: (property: ts.Symbol, entry: string) => void,
): (exported: ts.Symbol, entry: string) => void {
  const seen = new Set<ts.Type>();

  function isPublic(property: ts.Symbol): boolean {
    const [declaration] = property.declarations ?? [];
    if (declaration === undefined || !isOurs(declaration)) return false;
    const name = ts.getNameOfDeclaration(declaration);
    if (name === undefined || ts.isPrivateIdentifier(name) || ts.isComputedPropertyName(name)) return false;
    const isInternal = ts.getJSDocTags(declaration).some(({ tagName }) => tagName.text === 'internal');
    return !isInternal && (ts.getCombinedModifierFlags(declaration) & hidden) === 0;
  }

  return (exported, entry) => {
    function visitSignature(signature: ts.Signature): void {
      if (signature.declaration === undefined || !isOurs(signature.declaration)) return;
      for (const parameter of signature.getParameters()) visit(checker.getTypeOfSymbol(parameter));
      visit(signature.getReturnType());
    }

    function visitMembers(type: ts.Type): void {
      for (const property of type.getProperties().filter(isPublic)) {
        add(property, entry);
        visit(checker.getTypeOfSymbol(property));
      }
      for (const kind of [ts.SignatureKind.Call, ts.SignatureKind.Construct]) {
        checker.getSignaturesOfType(type, kind).forEach(visitSignature);
      }
      for (const { type: value } of checker.getIndexInfosOfType(type)) visit(value);
    }

    function visit(type: ts.Type): void {
      if (seen.has(type)) return;
      seen.add(type);
      if (type.isUnionOrIntersection()) {
        type.types.forEach(visit);
      } else if ((type.flags & ts.TypeFlags.TypeParameter) !== 0) {
        const constraint = checker.getBaseConstraintOfType(type);
        if (constraint !== undefined) visit(constraint);
      } else if ((type.flags & ts.TypeFlags.Object) !== 0) {
        checker.getTypeArguments(type as ts.TypeReference).forEach(visit);
        visitMembers(type);
      }
    }

    if ((exported.flags & ts.SymbolFlags.Type) !== 0) visit(checker.getDeclaredTypeOfSymbol(exported));
    if ((exported.flags & ts.SymbolFlags.Value) !== 0) visit(checker.getTypeOfSymbol(exported));
  };
}

const fillers = ['a', 'an', 'the', 'of', 'this', 'that', 'its', 'is', 'for', 'in', 'to', 'and'];

/** Returns the problem of a doc comment: it is missing, or repeats the words of the name and its owner. */
export function findProblem({
  name,
  owner,
  text,
}: Pick<PublicName, 'name' | 'owner' | 'text'>): string | undefined {
  if (text === '') return 'no doc comment';
  const known = new Set([...splitWords(name), ...splitWords(owner), ...fillers]);
  return splitWords(text).every((word) => known.has(word)) ? `"${text}" only repeats the name` : undefined;
}

/** Returns the words of a text or a camelCase name, in lower case and without a plural. */
function splitWords(text: string): string[] {
  const words = text.replaceAll(/([a-z])([A-Z])/g, '$1 $2').match(/[A-Za-z0-9]+/g) ?? [];
  return words.map((word) => word.toLowerCase().replace(/s$/, ''));
}
