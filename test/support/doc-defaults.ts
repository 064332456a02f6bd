// Compares the `@default` tags of options with the defaults in the code of their package.
import ts from 'typescript';
import type { PublicApi, PublicName } from './public-api.ts';

/** A literal at the start of a tag, and nothing or an explanation after it. */
const LITERAL = /^('[^']*'|[\d_]+|true|false)(?=$|[;:])/;

/** Returns the literal of a `@default` tag as text without quotes, or undefined for prose. */
export function readDefault({ tags }: Pick<PublicName, 'tags'>): string | undefined {
  const text = tags.find(({ name }) => name === 'default')?.text ?? '';
  const [literal] = LITERAL.exec(text) ?? [];
  return literal?.replaceAll(/^'|'$/g, '').replaceAll(/(?<=\d)_(?=\d)/g, '');
}

/** Returns the options whose `@default` is a literal that is not their default in the code of their package. */
export function findWrongDefaults({ program }: PublicApi, names: readonly PublicName[]): string[] {
  const defaults = readDefaults(program);
  return names.flatMap((each) => {
    const expected = readDefault(each);
    if (expected === undefined) return [];
    const [folder = ''] = /^packages\/\w+/.exec(each.place) ?? [];
    // The profile settings of the mock are declared in the shared code.
    const folders = folder === 'packages/internal' ? [folder, 'packages/mock'] : [folder];
    const found = folders.flatMap((path) => [...(defaults.get(`${path} ${each.name}`) ?? [])]);
    // An absent flag without a default is undefined, which is as good as false.
    if (found.includes(expected) || (found.length === 0 && expected === 'false')) return [];
    return [`${each.place} ${each.owner}.${each.name}: ${expected}, but ${found.join(' or ') || 'none'}`];
  });
}

/** Collects the literal defaults of each name, by folder and name. */
function readDefaults(program: ts.Program): Map<string, Set<string>> {
  const checker = program.getTypeChecker();
  const found = new Map<string, Set<string>>();
  for (const file of program.getSourceFiles()) {
    const [, folder] = /\/(packages\/\w+)\/src\//.exec(file.fileName) ?? [];
    if (folder === undefined) continue;
    const visit = (node: ts.Node): void => {
      const { name, value } = readAssignment(node) ?? {};
      const type = value && checker.getTypeAtLocation(value);
      for (const part of type?.isUnion() ? type.types : [type]) {
        if (part === undefined || (part.flags & ts.TypeFlags.Literal) === 0) continue;
        const literals = found.get(`${folder} ${name}`) ?? new Set();
        found.set(`${folder} ${name}`, literals.add(checker.typeToString(part).replaceAll('"', '')));
      }
      ts.forEachChild(node, visit);
    };
    visit(file);
  }
  return found;
}

interface Assignment {
  readonly name: string;
  readonly value: ts.Expression;
}

/**
 * Returns the name and the default of `{ name = 1 }`, `options.name ?? 1`, `{ name: condition ? 1 : 2 }`, and of a
 * property of `defaults`, `schedule` and the table `settings`, where `fallback` or the first value is the default.
 */
function readAssignment(node: ts.Node): Assignment | undefined {
  if (ts.isBindingElement(node) && node.initializer !== undefined)
    return { name: (node.propertyName ?? node.name).getText(), value: node.initializer };
  if (ts.isBinaryExpression(node) && ['??', '||'].includes(node.operatorToken.getText()))
    return { name: /\w*$/.exec(node.left.getText())?.[0] ?? '', value: node.right };
  if (!ts.isPropertyAssignment(node)) return undefined;
  const { initializer: given } = node;
  const initializer = ts.isAsExpression(given) ? given.expression : given;
  const isDefault =
    ts.isConditionalExpression(initializer) || /^(?:default|settings$|schedule$)/.test(findVariable(node));
  const [first] = ts.isArrayLiteralExpression(initializer) ? initializer.elements : [];
  const fields = ts.isObjectLiteralExpression(initializer) ? initializer.properties : [];
  const fallback = fields.find(
    (field) => ts.isPropertyAssignment(field) && field.name.getText() === 'fallback',
  );
  const value = (fallback as ts.PropertyAssignment | undefined)?.initializer ?? first ?? initializer;
  return isDefault ? { name: node.name.getText(), value } : undefined;
}

/** Returns the name of the variable that contains a node. */
function findVariable(node: ts.Node): string {
  if (ts.isSourceFile(node)) return '';
  return ts.isVariableDeclaration(node) ? node.name.getText() : findVariable(node.parent);
}
