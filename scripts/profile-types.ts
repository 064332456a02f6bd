// Writes the types of profiles from the table of the settings: an editor shows these, and not the types that compute them.
import { join } from 'node:path';
import ts from 'typescript';
import type { Profile as Loaded } from '../packages/mock/src/domain/profile.ts';
import type { NamedSetting, Setting, settings } from '../packages/mock/src/domain/settings.ts';
import { docOf, listExports, loadProgram } from './source.ts';

type Rows = typeof settings;

/** A profile with the names of its examples, where they have one. */
export type Named = {
  readonly [Name in keyof Rows]: Rows[Name] extends NamedSetting<infer Value, infer Other>
    ? Value | Other
    : Loaded[Name];
};

/** The values that a profile can have for its settings. */
export type Choice = { readonly [Name in keyof Rows]?: Given<Rows[Name], Loaded[Name]> };

type Given<Row, Value> =
  Row extends Setting<infer _, infer Own>
    ? Own
    : Row extends readonly (infer Own)[]
      ? Own
      : | Partial<Value>
        | (Row extends { readonly short: infer Name extends keyof Value } ? Value[Name] : never);

const root = join(import.meta.dirname, '..');
const mock = join(root, 'packages/mock/src');
const entry = join(mock, 'profile.ts');

const sources = {
  NamedProfile: [
    'Named',
    "A profile: one value for each question that the service's document leaves open, with the names of its examples, where they have one.",
  ],
  ProfileChoice: [
    'Choice',
    'Values for some profile settings. Other settings do not change, nor do fields that are left out of `successStatus`, `paths`, `requestBody`, `amounts`, `texts`, `currencies`, `debitAt`, `refund`, `statuses` and `listQuery`.',
  ],
} as const;

/** Returns the file with the types. Those that the entry `profile` exports have their names, and others are written in place. */
export function generateProfileTypes(): Map<string, string> {
  const program = loadProgram(import.meta.dirname, [import.meta.filename, entry]);
  const checker = program.getTypeChecker();
  const known = new Set(listExports(program, entry).map(({ name }) => name));
  const used = new Set<string>();

  const write = (type: ts.Type): string => {
    const name = (type.aliasSymbol ?? type.getSymbol())?.name ?? '';
    if (known.has(name)) {
      used.add(name);
      return name;
    }
    if (type.isUnion()) return type.types.map(write).join(' | ');
    const item = checker.isArrayType(type)
      ? checker.getTypeArguments(type as ts.TypeReference)[0]
      : undefined;
    if (item !== undefined) return `ReadonlyArray<${write(item)}>`;
    const members = type.flags & ts.TypeFlags.Object ? checker.getPropertiesOfType(type) : [];
    if (members.length === 0) return checker.typeToString(type);
    return `{ ${members.map(writeMember).join(' ')} }`;
  };
  const writeMember = (symbol: ts.Symbol): string => {
    const { text, fallback } = docOf(checker, symbol);
    const comment = fallback === undefined ? text : `${text}\n\n@default ${fallback}`;
    const mark = symbol.flags & ts.SymbolFlags.Optional ? '?' : '';
    const type = checker.getNonNullableType(checker.getTypeOfSymbol(symbol));
    return `\n/** ${comment.replaceAll('\n', '\n * ')} */\nreadonly ${symbol.name}${mark}: ${write(type)};`;
  };
  const membersOf = (source: string): ts.Symbol[] => {
    const symbol = listExports(program, import.meta.filename).find(({ name }) => name === source);
    return symbol ? checker.getPropertiesOfType(checker.getDeclaredTypeOfSymbol(symbol)) : [];
  };
  const interfaces = Object.entries(sources).map(
    ([name, [source, text]]) =>
      `/** ${text} */\nexport interface ${name} {${membersOf(source).map(writeMember).join('\n')}\n}\n`,
  );
  const names = membersOf('Named').map(({ name }) => `\n  | '${name}'`);
  const header = '// Generated from the table of the settings by `npm run generate`. Do not edit.\n';
  const imports = `import type { ${[...used].toSorted().join(', ')} } from '@service/internal';\n`;
  return new Map([
    [join(mock, 'generated/profile.ts'), `${header}${imports}\n${interfaces.join('\n')}`],
    [
      join(root, 'packages/probe/src/generated/profile-setting.ts'),
      `${header}/** The name of a profile setting: a behavior that the service's document leaves open. */\nexport type ProfileSetting =${names.join('')};\n`,
    ],
  ]);
}
