// Reads the documentation of the profile settings from their table: values and defaults, and from the comment of each row the
// sentence, `@topic`, `@sdk` (what the client does about it), `@values` of what is not a list, and `@example`.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import type { Schema } from '../packages/mock/src/domain/schema.ts';
import { settingRows } from '../packages/mock/src/domain/settings.ts';
import { readComment } from './source.ts';

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
  /** The values as Markdown, the default first. */
  readonly values: string;
  readonly description: string;
  readonly example: unknown;
}

const path = join(import.meta.dirname, '../packages/mock/src/domain/settings.ts');
const file = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true);

/** The documentation of each setting, in the order of the code. */
export const settingDocs: Readonly<Record<string, SettingDoc>> = Object.fromEntries(readMembers(file));

function readMembers(node: ts.Node): [name: string, doc: SettingDoc][] {
  const name = ts.isPropertyAssignment(node) ? node.name.getText() : '';
  const { text: description, tags, example } = readComment(node);
  if (!tags.has('topic')) return node.getChildren().flatMap(readMembers);
  const doc = {
    group: tags.get('topic') ?? '',
    client: tags.get('sdk') ?? '',
    values: tags.get('values') ?? describeValues(name),
    description,
    example,
  };
  return [[name, doc]];
}

/** Lists of values of a setting: its own, or those of its fields. */
export function listChoices(
  name: string,
): { readonly field?: string; readonly values: readonly unknown[] }[] {
  const { schema, named, fields } = settingRows[name] ?? {};
  if (named !== undefined) return [{ values: Object.keys(named) }];
  if (fields === undefined) return schema === undefined ? [] : [{ values: listValues(schema) }];
  return Object.entries(fields).map(([field, each]) => ({ field, values: listValues(each) }));
}

function listValues(schema: Schema): readonly unknown[] {
  return (schema.json['enum'] ?? []) as readonly unknown[];
}

function describeValues(name: string): string {
  const own = settingRows[name]?.named === undefined ? '' : ', or your own';
  const choices = listChoices(name).map(({ field, values }) => {
    const list = values.map((value) => `\`${String(value)}\``).join(' ');
    return field === undefined ? list + own : `\`${field}\`${list === '' ? '' : `: ${list}`}`;
  });
  return choices.join('; ');
}
