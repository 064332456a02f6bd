// Reads the documentation of the profile settings from their doc comments: besides the sentence, `@topic`, `@sdk` (what the client
// does about it), `@values` of a setting that is not a list of values, and `@example`, a value other than the default.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import ts from 'typescript';
import { defaultProfile } from '../packages/mock/src/domain/profile.ts';

/** The groups of settings in the reference, in order. */
export const settingGroups = [
  'Responses',
  'Requests',
  'Money',
  'Payments',
  'Transactions',
  'Webhooks',
] as const;

/** The documentation of a profile setting. */
interface SettingDoc {
  readonly group: string;
  readonly client: string;
  readonly values: string | undefined;
  readonly description: string;
  readonly example: unknown;
}

const path = join(import.meta.dirname, '../packages/internal/src/profile.ts');
const file = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true);

/** The documentation of each setting, in the order of the code. */
export const settingDocs: Readonly<Record<string, SettingDoc>> = Object.fromEntries(readMembers(file));

function readMembers(node: ts.Node): [name: string, doc: SettingDoc][] {
  const name = ts.isPropertySignature(node) || ts.isPropertyAssignment(node) ? node.name.getText() : '';
  const tags = new Map(
    ts
      .getJSDocTags(node)
      .map((tag) => [tag.tagName.text, joinLines(ts.getTextOfJSDocComment(tag.comment))] as const),
  );
  if (!Object.hasOwn(defaultProfile, name) || !tags.has('topic'))
    return node.getChildren().flatMap(readMembers);
  const [comment] = ts.getJSDocCommentsAndTags(node);
  const example = tags.get('example');
  const doc = {
    group: tags.get('topic') ?? '',
    client: tags.get('sdk') ?? '',
    values: tags.get('values'),
    description: joinLines(ts.getTextOfJSDocComment(comment?.comment)),
    example: example && (JSON.parse(JSON.stringify(runInNewContext(`(${example})`))) as unknown),
  };
  return [[name, doc]];
}

function joinLines(text = ''): string {
  return text.replaceAll(/\s*\n\s*/g, ' ').trim();
}
