// Reads the doc comments of `mock.sandbox` with the TypeScript compiler.
import { join } from 'node:path';
import ts from 'typescript';

/** The text of a doc comment and its `@default`. */
interface DocComment {
  readonly text: string;
  readonly fallback: string | undefined;
}

/** A type, with the doc comments of its properties. */
export interface Documented {
  readonly doc: DocComment;
  readonly property: (name: string) => Documented | undefined;
  readonly item: () => Documented | undefined;
}

/** The doc comments of the operations. */
export interface Comments {
  /** Returns an exported type. */
  readonly exported: (name: string) => Documented;
  /** Returns the description of a group. */
  readonly group: (group: string) => string;
  /** Returns the description of an operation, its first parameter and its result. */
  readonly call: (
    group: string,
    name: string,
  ) => { readonly text: string; readonly input?: Documented; readonly result?: Documented };
}

/** Reads the doc comments of the interface `Sandbox`, and of the operations that exist over HTTP only. */
export function readComments(mock: string): Comments {
  const entry = join(mock, 'src/index.ts');
  const overHttpOnly = ['server', 'views'].map(
    (group) => [group, join(mock, `src/control/operations/${group}.ts`)] as const,
  );
  const { options } = ts.parseJsonConfigFileContent(
    ts.readConfigFile(join(mock, 'tsconfig.json'), (path) => ts.sys.readFile(path)).config,
    ts.sys,
    mock,
  );
  const program = ts.createProgram([entry, ...overHttpOnly.map(([, file]) => file)], {
    ...options,
    composite: false,
    noEmit: true,
  });
  const checker = program.getTypeChecker();
  const document = createDocumented(checker);
  const find = (name: string): ts.Type => document.type(findExport(program, checker, { file: entry, name }));
  const sandbox = find('Sandbox');
  const overHttp = new Map(
    overHttpOnly.map(([group, file]) => [group, readOperations(group, program.getSourceFile(file))]),
  );
  return {
    exported: (name) => document.wrap(find(name)),
    group(group) {
      if (overHttp.has(group)) return overHttp.get(group)?.get(group) ?? '';
      return group === 'state' ? 'The whole state of the sandbox.' : document.docOfType(sandbox, group);
    },
    call(group, name) {
      if (overHttp.has(group)) return { text: overHttp.get(group)?.get(name) ?? '' };
      return document.call(group === 'state' ? sandbox : document.member(sandbox, group), name);
    },
  };
}

function findExport(
  program: ts.Program,
  checker: ts.TypeChecker,
  { file, name }: { readonly file: string; readonly name: string },
): ts.Symbol {
  const source = program.getSourceFile(file);
  const module = source === undefined ? undefined : checker.getSymbolAtLocation(source);
  const found = module === undefined ? [] : checker.getExportsOfModule(module);
  const symbol = found.find((each) => each.name === name);
  if (symbol === undefined) throw new Error(`${file} does not export ${name}.`);
  return checker.getAliasedSymbol(symbol);
}

const noComment: DocComment = { text: '', fallback: undefined };

interface Reader {
  readonly wrap: (type: ts.Type) => Documented;
  readonly type: (symbol: ts.Symbol) => ts.Type;
  readonly member: (type: ts.Type, name: string) => ts.Type;
  readonly docOfType: (type: ts.Type, name: string) => string;
  readonly call: (type: ts.Type, name: string) => ReturnType<Comments['call']>;
}

function createDocumented(checker: ts.TypeChecker): Reader {
  const docOf = (symbol: ts.Symbol | undefined): DocComment => {
    const text = ts.displayPartsToString(symbol?.getDocumentationComment(checker) ?? []);
    const tag = symbol?.getJsDocTags(checker).find(({ name }) => name === 'default');
    return { text: joinLines(text), fallback: tag && joinLines(ts.displayPartsToString(tag.text)) };
  };
  const find = (type: ts.Type, name: string): ts.Symbol | undefined => {
    const parts = type.isUnion() ? type.types : [type];
    return parts.map((part) => checker.getPropertyOfType(part, name)).find((found) => found !== undefined);
  };
  /** Returns no comment if the types of a union describe the property differently: a schema merges them. */
  const docOfProperty = (type: ts.Type, name: string): DocComment => {
    const docs = (type.isUnion() ? type.types : [type]).flatMap((part) => {
      const property = checker.getPropertyOfType(part, name);
      return property === undefined ? [] : [docOf(property)];
    });
    const [first = noComment, ...others] = docs;
    return others.every(({ text }) => text === first.text) ? first : noComment;
  };
  const wrap = (type: ts.Type, doc = noComment): Documented => ({
    doc,
    property(name) {
      const owner = checker.getNonNullableType(type);
      const found = find(owner, name);
      return found === undefined
        ? undefined
        : wrap(checker.getTypeOfSymbol(found), docOfProperty(owner, name));
    },
    item() {
      const element = checker.getIndexTypeOfType(checker.getNonNullableType(type), ts.IndexKind.Number);
      return element === undefined ? undefined : wrap(element);
    },
  });
  const require = (type: ts.Type, name: string): ts.Symbol => {
    const found = find(type, name);
    if (found === undefined) throw new Error(`Sandbox has no member ${name}.`);
    return found;
  };
  return {
    wrap: (type) => wrap(type),
    type: (symbol) => checker.getDeclaredTypeOfSymbol(symbol),
    member: (type, name) => checker.getTypeOfSymbol(require(type, name)),
    docOfType: (type, name) => docOf(checker.getTypeOfSymbol(require(type, name)).getSymbol()).text,
    call(type, name) {
      const symbol = require(type, name);
      const [signature] = checker.getTypeOfSymbol(symbol).getCallSignatures();
      const { text } = docOf(symbol);
      if (text === '') throw new Error(`${name} has no doc comment.`);
      if (signature === undefined) return { text };
      const [parameter] = signature.getParameters();
      const result = checker.getReturnTypeOfSignature(signature);
      return {
        text,
        ...(parameter !== undefined && { input: wrap(checker.getTypeOfSymbol(parameter)) }),
        result: wrap(checker.getAwaitedType(result) ?? result),
      };
    },
  };
}

/** Returns the doc comments of the properties in the source of the operations that exist over HTTP only. */
function readOperations(group: string, source: ts.SourceFile | undefined): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const visit = (node: ts.Node): void => {
    const isGroup =
      ts.isVariableStatement(node) && node.declarationList.declarations[0]?.name.getText() === group;
    const isNamed = ts.isPropertyAssignment(node) || isGroup;
    const [comment] = isNamed ? ts.getJSDocCommentsAndTags(node) : [];
    const text = comment === undefined ? undefined : ts.getTextOfJSDocComment(comment.comment);
    if (text !== undefined)
      found.set(ts.isPropertyAssignment(node) ? node.name.getText() : group, joinLines(text));
    ts.forEachChild(node, visit);
  };
  if (source !== undefined) visit(source);
  return found;
}

/** Joins the lines of a comment. */
function joinLines(text: string): string {
  return text.replaceAll(/\s*\n\s*/g, ' ').trim();
}
