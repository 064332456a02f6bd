// Reads the parts of a TypeScript file that the language check judges: comments, declared names and test titles.
import ts from 'typescript';

/** A piece of text with its place. */
export interface Excerpt {
  readonly text: string;
  readonly line: number;
}

/** The checked parts of a source file. */
export interface SourceParts {
  readonly comments: readonly Excerpt[];
  /** The comments that start with two asterisks. */
  readonly docComments: readonly Excerpt[];
  readonly names: readonly Excerpt[];
  /** The names of functions, without methods. */
  readonly functions: readonly Excerpt[];
  readonly titles: readonly Excerpt[];
  /** String literals and templates of at least two words: error messages, help and output. */
  readonly messages: readonly Excerpt[];
  /** Module-level constants in UPPER_CASE whose value is not a primitive or a list of primitives, without route handlers. */
  readonly compoundConstants: readonly Excerpt[];
  /** Tests that no `describe` contains. */
  readonly looseTests: readonly Excerpt[];
}

/** Reads the checked parts of a source file. */
export function readSource(path: string, text: string): SourceParts {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const lineOf = (position: number): number => file.getLineAndCharacterOfPosition(position).line + 1;
  const ranges = new Map<number, ts.CommentRange>();
  const names: Excerpt[] = [];
  const functions: Excerpt[] = [];
  const titles: Excerpt[] = [];
  const messages: Excerpt[] = [];
  const visit = (node: ts.Node): void => {
    const name = findDeclaredName(node);
    if (name !== undefined) names.push({ text: name.text, line: lineOf(name.getStart(file)) });
    if (name !== undefined && isFunction(node)) {
      functions.push({ text: name.text, line: lineOf(name.getStart(file)) });
    }
    const title = findTitle(node);
    if (title !== undefined) titles.push({ text: title.text, line: lineOf(title.getStart(file)) });
    if (isMessage(node)) messages.push({ text: node.text, line: lineOf(node.getStart(file)) });
    ts.forEachChild(node, visit);
  };
  visit(file);
  // Tokens have the comments that no node has, such as the last one of a block.
  const visitTokens = (node: ts.Node): void => {
    if (ts.isJSDoc(node)) return;
    const children = node.getChildren(file);
    if (children.length > 0) return children.forEach(visitTokens);
    const found = [
      ...(ts.getLeadingCommentRanges(text, node.getFullStart()) ?? []),
      ...(ts.getTrailingCommentRanges(text, node.getEnd()) ?? []),
    ];
    for (const range of found) ranges.set(range.pos, range);
  };
  visitTokens(file);
  const comments: Excerpt[] = [];
  let previousEnd = -1;
  for (const { pos, end } of [...ranges.values()].toSorted((a, b) => a.pos - b.pos)) {
    const comment = { text: text.slice(pos, end), line: lineOf(pos) };
    const last = comments.at(-1);
    // A sentence can continue in the next line comment.
    const isNext = comment.text.startsWith('//') && text.slice(previousEnd, pos).trim() === '';
    if (isNext && last?.text.startsWith('//'))
      comments[comments.length - 1] = { ...last, text: `${last.text}\n${comment.text}` };
    else comments.push(comment);
    previousEnd = end;
  }
  return {
    comments: comments.map(({ text: comment, line }) => ({ text: stripMarkers(comment), line })),
    docComments: comments
      .filter((comment) => comment.text.startsWith('/**'))
      .map(({ text: comment, line }) => ({ text: stripMarkers(comment), line })),
    names,
    functions,
    titles,
    messages,
    looseTests: file.statements
      .filter((statement) => /^(?:it|test)\b(?!\(''?,)/.test(statement.getText(file)))
      .map((statement) => ({ text: statement.getText(file), line: lineOf(statement.getStart(file)) })),
    compoundConstants: file.statements
      .filter(ts.isVariableStatement)
      .flatMap((statement) =>
        statement.declarationList.declarations
          .filter(
            ({ name, initializer }) =>
              /^(?!(?:GET|POST)$)[A-Z][A-Z\d_]*$/.test(name.getText(file)) && !isPrimitive(initializer),
          )
          .map(({ name }) => ({ text: name.getText(file), line: lineOf(name.getStart(file)) })),
      ),
  };
}

function stripMarkers(comment: string): string {
  return comment
    .replace(/^\/\*\*?|\*\/$/g, '')
    .split('\n')
    .map((line) => line.replace(/^\s*(?:\*|\/\/) ?/, '').trim())
    .join('\n')
    .replace(/^\s*(?:\/\/)?\s*/, '')
    .trim();
}

function findDeclaredName(node: ts.Node): ts.Identifier | undefined {
  // An import takes its names from elsewhere; a property assignment may fill a foreign type.
  if (ts.isImportSpecifier(node) || ts.isPropertyAssignment(node) || ts.isShorthandPropertyAssignment(node)) {
    return undefined;
  }
  const { name } = node as { readonly name?: ts.Node };
  return name !== undefined && ts.isIdentifier(name) && isDeclaration(node) ? name : undefined;
}

function isDeclaration(node: ts.Node): boolean {
  return (
    ts.isVariableDeclaration(node) ||
    ts.isFunctionDeclaration(node) ||
    ts.isClassDeclaration(node) ||
    ts.isInterfaceDeclaration(node) ||
    ts.isTypeAliasDeclaration(node) ||
    ts.isPropertySignature(node) ||
    ts.isMethodSignature(node) ||
    ts.isPropertyDeclaration(node) ||
    ts.isMethodDeclaration(node) ||
    ts.isAccessor(node) ||
    ts.isEnumDeclaration(node) ||
    ts.isEnumMember(node) ||
    ts.isTypeParameterDeclaration(node) ||
    ts.isBindingElement(node) ||
    ts.isImportClause(node) ||
    ts.isNamespaceImport(node) ||
    ts.isParameter(node)
  );
}

function isFunction(node: ts.Node): boolean {
  if (!ts.isVariableDeclaration(node)) return ts.isFunctionDeclaration(node);
  // A local function may fill a property of a given name.
  if (!ts.isSourceFile(node.parent.parent.parent) || node.initializer === undefined) return false;
  return ts.isArrowFunction(node.initializer) || ts.isFunctionExpression(node.initializer);
}

function isMessage(node: ts.Node): node is ts.LiteralLikeNode {
  const isText =
    ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node);
  return isText && /[a-z]+ [a-z]+/i.test(node.text);
}

/** Returns the title of a call of `describe`, `it` or `test`, also of `it.each(…)(title)`. */
function findTitle(node: ts.Node): ts.StringLiteralLike | undefined {
  if (!ts.isCallExpression(node)) return undefined;
  const [title] = node.arguments;
  const isTest = /^(?:describe|it|test)\b/.test(node.expression.getText());
  return isTest && title !== undefined && ts.isStringLiteralLike(title) ? title : undefined;
}

/** Functions that return a primitive. */
const primitiveCalls: ReadonlySet<string> = new Set([
  'Symbol',
  'Symbol.for',
  'BigInt',
  'Number',
  'String',
  'Date.UTC',
  'Date.parse',
  'runs',
]);

function isPrimitive(node: ts.Expression | undefined): boolean {
  if (node === undefined) return false;
  if (ts.isAsExpression(node) || ts.isSatisfiesExpression(node) || ts.isParenthesizedExpression(node)) {
    return isPrimitive(node.expression);
  }
  if (ts.isArrayLiteralExpression(node)) return node.elements.every(isPrimitive);
  if (ts.isBinaryExpression(node)) return isPrimitive(node.left) && isPrimitive(node.right);
  if (ts.isPrefixUnaryExpression(node)) return isPrimitive(node.operand);
  return (
    ts.isLiteralExpression(node) ||
    ts.isTemplateExpression(node) ||
    ts.isIdentifier(node) ||
    (ts.isCallExpression(node) && primitiveCalls.has(node.expression.getText()))
  );
}
