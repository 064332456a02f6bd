// Finds `any` in declarations: as a keyword, or as the type of a public name, for example of a missing import.
import ts from 'typescript';

const options: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2023,
  lib: ['lib.es2023.d.ts', 'lib.esnext.disposable.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  strict: true,
  exactOptionalPropertyTypes: true,
  skipLibCheck: true,
  noEmit: true,
  types: ['node'],
};

/** A host that parses the types of TypeScript and Node once per process, for all programs. */
const host = ts.createCompilerHost(options);
const getSourceFile: ts.CompilerHost['getSourceFile'] = host.getSourceFile.bind(host);
const parsed = new Map<string, ts.SourceFile | undefined>();
host.getSourceFile = (fileName, ...rest) => {
  if (!fileName.includes('/node_modules/')) return getSourceFile(fileName, ...rest);
  if (!parsed.has(fileName)) parsed.set(fileName, getSourceFile(fileName, ...rest));
  return parsed.get(fileName);
};

/**
 * Returns the places of `any` in the entries of a package and in their exports. Declarations outside `folder` are ignored:
 * for example, `Response.json()` returns `any`.
 */
export function findAny(entries: readonly string[], folder: string): string[] {
  const root = withSlashes(folder);
  const program = ts.createProgram({ rootNames: [...entries], options, host });
  const checker = program.getTypeChecker();
  const isOurs = (declaration: ts.Node): boolean => declaration.getSourceFile().fileName.startsWith(root);
  const written = program
    .getSourceFiles()
    .filter(isOurs)
    .flatMap((file) => findKeywords(file, root));
  const found = new Set(written);
  const visitExport = createVisitor(checker, isOurs, (place) => found.add(place));
  for (const entry of entries) {
    const file = program.getSourceFile(entry);
    const module = file && checker.getSymbolAtLocation(file);
    if (module === undefined) throw new Error(`${entry} is not a module; build the packages first.`);
    for (const symbol of checker.getExportsOfModule(module)) {
      visitExport(symbol, `${withSlashes(entry).slice(root.length + 1)} ${symbol.name}`);
    }
  }
  return [...found];
}

/** Replaces backslashes, because the compiler has slashes in paths on Windows. */
function withSlashes(path: string): string {
  return path.replaceAll('\\', '/');
}

function findKeywords(file: ts.SourceFile, folder: string): string[] {
  const places: string[] = [];
  const visit = (node: ts.Node): void => {
    if (node.kind === ts.SyntaxKind.AnyKeyword) {
      const { line } = file.getLineAndCharacterOfPosition(node.getStart());
      places.push(`${file.fileName.slice(folder.length + 1)}:${line + 1} any`);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return places;
}

/** Returns a function that reports every `any` in the type of an exported symbol. */
function createVisitor(
  checker: ts.TypeChecker,
  isOurs: (declaration: ts.Node) => boolean,
  report: (place: string) => void,
): (symbol: ts.Symbol, place: string) => void {
  const seen = new Set<ts.Type>();
  const areOurs = ({ declarations = [] }: ts.Symbol): boolean => declarations.some(isOurs);

  function visitSignature(signature: ts.Signature, place: string): void {
    for (const parameter of signature.getParameters()) {
      visit(checker.getTypeOfSymbol(parameter), `${place}(${parameter.name})`);
    }
    visit(signature.getReturnType(), `${place}()`);
  }

  function visitMembers(type: ts.Type, place: string): void {
    for (const property of type.getProperties()) {
      if (areOurs(property)) visit(checker.getTypeOfSymbol(property), `${place}.${property.name}`);
    }
    for (const kind of [ts.SignatureKind.Call, ts.SignatureKind.Construct]) {
      for (const signature of checker.getSignaturesOfType(type, kind)) {
        if (signature.declaration !== undefined && isOurs(signature.declaration)) {
          visitSignature(signature, place);
        }
      }
    }
    for (const { type: value } of checker.getIndexInfosOfType(type)) visit(value, `${place}[]`);
  }

  /** Ignores default arguments of foreign types: `AsyncIterable<T>` has the default `any` for its return type. */
  function visitArguments(type: ts.TypeReference, place: string): void {
    const parameters = type.target?.typeParameters ?? [];
    for (const [index, argument] of checker.getTypeArguments(type).entries()) {
      const [declaration] = parameters[index]?.getSymbol()?.declarations ?? [];
      const isForeign = declaration !== undefined && !isOurs(declaration);
      if (isForeign && parameters[index]?.getDefault() === argument) continue;
      visit(argument, `${place}<>`);
    }
  }

  function visit(type: ts.Type, place: string): void {
    if ((type.flags & ts.TypeFlags.Any) !== 0) report(place);
    if (seen.has(type)) return;
    seen.add(type);
    for (const argument of type.aliasTypeArguments ?? []) visit(argument, `${place}<>`);
    if (type.isUnionOrIntersection()) {
      for (const part of type.types) visit(part, place);
    } else if ((type.flags & ts.TypeFlags.TypeParameter) !== 0) {
      const constraint = checker.getBaseConstraintOfType(type);
      if (constraint !== undefined && constraint !== type) visit(constraint, `${place} extends`);
    } else if ((type.flags & ts.TypeFlags.Object) !== 0) {
      visitArguments(type as ts.TypeReference, place);
      visitMembers(type, place);
    }
  }

  return (exported, place) => {
    const isAlias = (exported.flags & ts.SymbolFlags.Alias) !== 0;
    const symbol = isAlias ? checker.getAliasedSymbol(exported) : exported;
    if ((symbol.flags & ts.SymbolFlags.Type) !== 0) visit(checker.getDeclaredTypeOfSymbol(symbol), place);
    if ((symbol.flags & ts.SymbolFlags.Value) !== 0) visit(checker.getTypeOfSymbol(symbol), place);
    if (symbol.declarations === undefined) report(place);
  };
}
