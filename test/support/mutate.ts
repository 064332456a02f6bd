/**
 * Changes the source at random places, one at a time, and runs the tests of its package: a change that no test notices
 * is a gap. `npm run mutate -- [--seed 1] [--count 60] [--list FILE]`. The list of mutations is written at the
 * first run and read by later ones, so that the same changes judge another set of tests.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import ts from 'typescript';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    count: { type: 'string', default: '60' },
    list: { type: 'string', default: 'node_modules/.cache/mutations.json' },
  },
});

interface Mutation {
  readonly file: string;
  readonly line: number;
  readonly before: string;
  readonly after: string;
  /** The source around it, by which it is found in a later version of the file, and its place in it. */
  readonly context: string;
  readonly offset: number;
}

const opposites: Readonly<Record<string, string>> = {
  '===': '!==',
  '!==': '===',
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '&&': '||',
  '||': '&&',
  '??': '&&',
  '+': '-',
  '-': '+',
  '*': '/',
  true: 'false',
  false: 'true',
};

/** Returns all places of a file that can be changed. */
function findMutations(file: string): Mutation[] {
  const text = readFileSync(file, 'utf8');
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const found: Mutation[] = [];
  const add = (node: ts.Node, after: string): void => {
    const start = node.getStart(source);
    const before = text.slice(start, node.end);
    const offset = Math.min(60, start);
    const context = text.slice(start - offset, node.end + 60);
    if (text.split(context).length !== 2 || before === after) return;
    const { line } = source.getLineAndCharacterOfPosition(start);
    found.push({ file, line: line + 1, before, after, context, offset });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isTypeNode(node) || ts.isImportDeclaration(node) || ts.isInterfaceDeclaration(node)) return;
    if (ts.isBinaryExpression(node)) {
      const opposite = opposites[node.operatorToken.getText(source)];
      if (opposite !== undefined) add(node.operatorToken, opposite);
    } else if (node.kind === ts.SyntaxKind.TrueKeyword || node.kind === ts.SyntaxKind.FalseKeyword)
      add(node, opposites[node.getText(source)] ?? '');
    else if (ts.isNumericLiteral(node)) add(node, `${node.text === '0' ? 1 : `(${node.text} * 2 + 1)`}`);
    else if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken)
      add(node, node.operand.getText(source));
    else if (ts.isIfStatement(node)) add(node.expression, 'false');
    else if (ts.isExpressionStatement(node) && ts.isCallExpression(node.expression)) add(node, ';');
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** Draws mutations with a linear congruential generator (Numerical Recipes). */
function draw(all: readonly Mutation[], count: number, seed: number): Mutation[] {
  let state = seed >>> 0;
  const pool = [...all];
  return Array.from({ length: Math.min(count, pool.length) }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return pool.splice(Math.floor((state / 2 ** 32) * pool.length), 1)[0] as Mutation;
  });
}

const folders = ['sdk/src', 'webhooks/src', 'mock/src/domain', 'mock/src/http', 'mock/src/state'];
if (!existsSync(values.list)) {
  const files = folders.flatMap((folder) => globSync(`packages/${folder}/**/*.ts`)).toSorted();
  const all = files.filter((file) => !file.includes('generated')).flatMap(findMutations);
  writeFileSync(values.list, JSON.stringify(draw(all, Number(values.count), Number(values.seed)), null, 2));
}
const counts: Record<string, number> = { caught: 0, survived: 0, gone: 0 };
for (const [index, { file, line, before, after, context, offset }] of (
  JSON.parse(readFileSync(values.list, 'utf8')) as Mutation[]
).entries()) {
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  let result = 'gone';
  if (text.split(context).length === 2) {
    const at = text.indexOf(context) + offset;
    writeFileSync(file, text.slice(0, at) + after + text.slice(at + before.length));
    const [, name = ''] = file.split('/');
    const args = [
      'vitest',
      'related',
      '--run',
      '--bail=1',
      '--project=node',
      '--project=node-isolated',
      file,
    ];
    const { status } = spawnSync('npx', [...args, `--dir=packages/${name}`], { encoding: 'utf8' });
    const isCaught =
      status !== 0 || spawnSync('npx', [...args, '--dir=test'], { encoding: 'utf8' }).status !== 0;
    writeFileSync(file, text);
    result = isCaught ? 'caught' : 'survived';
  }
  counts[result] = (counts[result] ?? 0) + 1;
  console.log(`${index + 1} ${result} ${file}:${line} ${JSON.stringify(before)} → ${JSON.stringify(after)}`);
}
console.log(JSON.stringify(counts));
