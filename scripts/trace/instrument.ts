// Reports every function entry of the sources of the packages, from the moment that they are loaded.
import { readFileSync } from 'node:fs';
import { registerHooks, stripTypeScriptTypes } from 'node:module';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

/** Called with the path of the source file and the name of the function. */
export type OnEntry = (path: string, name: string) => void;

const PREFIX = '__enter';

/** Instruments the TypeScript files below a folder that are imported from now on. */
export function instrument(root: string, onEntry: OnEntry): void {
  (globalThis as Record<string, unknown>)[PREFIX] = onEntry;
  registerHooks({
    load: (url, context, nextLoad) => {
      if (!url.startsWith('file:')) return nextLoad(url, context);
      const path = relative(root, fileURLToPath(url.split('?')[0] ?? url));
      if (!/^packages\/\w+\/src\/.*\.ts$/.test(path)) return nextLoad(url, context);
      const source = addEntries(path, readFileSync(`${root}/${path}`, 'utf8'));
      return { format: 'module', source: stripTypeScriptTypes(source), shortCircuit: true };
    },
  });
}

/** Inserts a call at the start of each function body. */
export function addEntries(path: string, text: string): string {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const inserts: { readonly at: number; readonly text: string }[] = [];
  const visit = (node: ts.Node, outer: string): void => {
    const name = findName(node) ?? outer;
    if (ts.isFunctionLike(node) && 'body' in node && node.body !== undefined) {
      const { body } = node as { readonly body: ts.Node };
      const call = `${PREFIX}(${JSON.stringify(path)}, ${JSON.stringify(name)})`;
      if (ts.isBlock(body)) {
        // A constructor must call `super` first.
        const at = findSuperEnd(body) ?? body.getStart(file) + 1;
        inserts.push({ at, text: ` ${call};` });
      } else {
        inserts.push({ at: body.getStart(file), text: `(${call}, ` }, { at: body.getEnd(), text: ')' });
      }
    }
    ts.forEachChild(node, (child) => visit(child, name));
  };
  visit(file, 'module');
  return inserts
    .toSorted((a, b) => b.at - a.at)
    .reduce((result, { at, text: insert }) => result.slice(0, at) + insert + result.slice(at), text);
}

function findName(node: ts.Node): string | undefined {
  const { name } = node as { readonly name?: ts.Node };
  return name !== undefined && (ts.isIdentifier(name) || ts.isStringLiteral(name)) ? name.text : undefined;
}

function findSuperEnd(body: ts.Block): number | undefined {
  const statement = body.statements.find((each) => each.getText().startsWith('super('));
  return statement?.getEnd();
}
