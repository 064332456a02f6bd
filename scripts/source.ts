// Reads the TypeScript of the packages: programs, exports and doc comments.
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import ts from 'typescript';

/** Loads files with the compiler options of a folder. */
export function loadProgram(folder: string, files: readonly string[]): ts.Program {
  const { config } = ts.readConfigFile(join(folder, 'tsconfig.json'), (path) => ts.sys.readFile(path));
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, folder);
  // The order of the values of an enumeration does not depend on other code.
  return ts.createProgram(files, { ...options, composite: false, noEmit: true, stableTypeOrdering: true });
}

/** Lists the exports of a file. */
export function listExports(program: ts.Program, file: string): readonly ts.Symbol[] {
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(file);
  const module = source && checker.getSymbolAtLocation(source);
  if (module === undefined) throw new Error(`${file} exports nothing.`);
  return checker.getExportsOfModule(module);
}

/** The doc comment of a member, and its `@default`. */
export interface Doc {
  readonly text: string;
  readonly fallback: string | undefined;
}

/** Returns the doc comment of a member, which an interface can inherit. */
export function docOf(checker: ts.TypeChecker, symbol: ts.Symbol | undefined): Doc {
  const fallback = symbol?.getJsDocTags(checker).find(({ name }) => name === 'default');
  // A link to a page beside the source leads nowhere from a generated file.
  const toText = (parts?: ts.SymbolDisplayPart[]): string =>
    ts
      .displayPartsToString(parts)
      .replaceAll(/\[([^\]]+)\]\([\w-]+\.md[^)]*\)/g, '$1')
      .trim();
  return {
    text: toText(symbol?.getDocumentationComment(checker)),
    fallback: fallback && toText(fallback.text),
  };
}

/** Returns the doc comment of a statement or property, each part in one line, and the value of its `@example`. */
export function readComment(node: ts.Node): {
  readonly text: string;
  readonly tags: ReadonlyMap<string, string>;
  readonly example: unknown;
} {
  const toText = (each: ts.JSDoc | ts.JSDocTag | undefined): string =>
    joinLines(ts.getTextOfJSDocComment(each?.comment) ?? '');
  const [comment] = ts.getJSDocCommentsAndTags(node);
  const tags = new Map(ts.getJSDocTags(node).map((tag) => [tag.tagName.text, toText(tag)]));
  const example = tags.get('example');
  return {
    text: toText(comment),
    tags,
    example: example && (JSON.parse(JSON.stringify(runInNewContext(`(${example})`))) as unknown),
  };
}

/** Joins the lines of a comment. */
export function joinLines(text: string): string {
  return text.replaceAll(/\s*\n\s*/g, ' ').trim();
}
