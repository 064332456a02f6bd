// Reads what the TypeScript types of the control operations say: doc comments, and the JSON schemas of the results. Neither is in
// the code that pages and workers load.
import { join } from 'node:path';
import ts from 'typescript';
import { type Doc, docOf, joinLines, listExports, loadProgram, readComment } from './source.ts';

/** A JSON schema, with the keywords that doc comments extend. */
export interface Schema {
  readonly [keyword: string]: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly description?: string;
  readonly examples?: readonly unknown[];
  readonly enum?: readonly unknown[];
  readonly title?: string;
}

/** The doc comments of a type: that of the property with this type, and those of its properties. */
export interface Documented extends Doc {
  readonly property: (name: string) => Documented | undefined;
  readonly item: () => Documented | undefined;
}

/** An operation as its types describe it. */
export interface TypedOperation {
  readonly text: string;
  /** The type of the first parameter of the function. */
  readonly input: Documented | undefined;
  /** The schema of the body of its response. Undefined without a body. */
  readonly body: Schema | undefined;
  /** Example fields. */
  readonly example: Readonly<Record<string, unknown>>;
}

/** The types of the control operations. */
export interface ControlTypes {
  /** Returns an exported type. */
  readonly exported: (name: string) => Documented;
  /** Returns the description of a group. */
  readonly group: (group: string) => string;
  readonly operation: (group: string, name: string, id: string) => TypedOperation;
}

/** The groups of operations that exist over HTTP only. */
export const overHttpOnly: readonly string[] = ['server', 'views'];

/** Reads the types of the operations. `known` has the schemas of types that other places define, by name. */
export function readTypes(mock: string, known: Readonly<Record<string, Schema>>): ControlTypes {
  const entry = join(mock, 'src/index.ts');
  const program = loadProgram(mock, [entry, join(mock, 'src/control/http/handler.ts')]);
  const checker = program.getTypeChecker();
  const toSchema = createConverter(checker, known);
  const definitions = findDefinitions(program);
  const find = (name: string): ts.Type => {
    const symbol = listExports(program, entry).find((each) => each.name === name);
    if (symbol === undefined) throw new Error(`@service/mock does not export ${name}.`);
    return checker.getDeclaredTypeOfSymbol(checker.getAliasedSymbol(symbol));
  };
  const member = (type: ts.Type, name: string): ts.Symbol => {
    const symbol = type.getProperty(name);
    if (symbol === undefined) throw new Error(`Sandbox has no member ${name}.`);
    return symbol;
  };
  const sandbox = find('Sandbox');
  return {
    exported: (name) => document(checker, find(name)),
    group(group) {
      if (overHttpOnly.includes(group)) return definitions.get(group)?.text ?? '';
      if (group === 'state') return 'The whole state of the sandbox.';
      return textOf(checker, checker.getTypeOfSymbol(member(sandbox, group)).getSymbol());
    },
    operation(group, name, id) {
      const own = definitions.get(id);
      const example = own?.example ?? {};
      if (overHttpOnly.includes(group))
        return { text: own?.text ?? '', input: undefined, body: own && bodyOf(own), example };
      const owner = group === 'state' ? sandbox : checker.getTypeOfSymbol(member(sandbox, group));
      const symbol = member(owner, name);
      const [call] = checker.getTypeOfSymbol(symbol).getCallSignatures();
      const [parameter] = call?.getParameters() ?? [];
      return {
        text: textOf(checker, symbol),
        input: parameter && document(checker, checker.getTypeOfSymbol(parameter)),
        body: own?.toBody === undefined ? call && toSchema.result(call) : bodyOf(own),
        example,
      };
    },
  };

  function bodyOf({ run, toBody = run }: Definition): Schema | undefined {
    const [call] = toBody === undefined ? [] : checker.getTypeAtLocation(toBody).getCallSignatures();
    return call && toSchema.result(call);
  }
}

interface Definition {
  readonly text: string;
  readonly run?: ts.Node | undefined;
  readonly toBody?: ts.Node | undefined;
  /** Example fields: the tag `@example` of the comment. */
  readonly example: Readonly<Record<string, unknown>>;
}

/** Finds the object literals that define operations, by the `id` of the operation, and the comments of groups, by their names. */
function findDefinitions(program: ts.Program): ReadonlyMap<string, Definition> {
  const found = new Map<string, Definition>();
  const visit = (node: ts.Node): void => {
    const name = ts.isVariableStatement(node)
      ? node.declarationList.declarations[0]?.name.getText()
      : undefined;
    if (name !== undefined) found.set(name, { text: readComment(node).text, example: {} });
    const call = ts.isPropertyAssignment(node) ? node.initializer : undefined;
    const [id, , literal] = call !== undefined && ts.isCallExpression(call) ? call.arguments : [];
    if (id !== undefined && ts.isStringLiteral(id) && literal && ts.isObjectLiteralExpression(literal)) {
      const members = new Map(literal.properties.map((each) => [each.name?.getText(), each as ts.Node]));
      const { text, example = {} } = readComment(node);
      found.set(id.text, {
        text,
        run: members.get('run'),
        toBody: members.get('toBody'),
        example: example as Definition['example'],
      });
    }
    ts.forEachChild(node, visit);
  };
  for (const source of program.getSourceFiles())
    if (source.fileName.includes('/control/operations/')) visit(source);
  return found;
}

function textOf(checker: ts.TypeChecker, symbol: ts.Symbol | undefined): string {
  return joinLines(docOf(checker, symbol).text);
}

function document(
  checker: ts.TypeChecker,
  type: ts.Type,
  doc: Doc = { text: '', fallback: undefined },
): Documented {
  const owner = checker.getNonNullableType(type);
  return {
    ...doc,
    property(name) {
      const parts = owner.isUnion() ? owner.types : [owner];
      const found = parts.flatMap((part) => checker.getPropertyOfType(part, name) ?? []);
      const [first] = found;
      if (first === undefined) return undefined;
      const docs = found.map((each) => docOf(checker, each));
      // No comment if the types of a union describe the property differently: a schema merges them.
      const isSame = docs.every(({ text }) => text === docs[0]?.text);
      return document(checker, checker.getTypeOfSymbol(first), isSame ? docs[0] : undefined);
    },
    item() {
      const element = checker.getIndexTypeOfType(owner, ts.IndexKind.Number);
      return element && document(checker, element);
    },
  };
}

/** Returns the doc comment of a property with its default. `own` replaces an absent comment. */
export function describeMember(member: Documented | undefined, own: string): string {
  const { text = '', fallback } = member ?? {};
  const shown = joinLines(text) || own;
  if (fallback === undefined) return shown;
  return `${shown.replace(/[^.]$/, '$&.')} Default: ${joinLines(fallback)}.`.trim();
}

/** Adds the doc comments of a type to the properties of a schema. */
export function annotate(schema: Schema, type: Documented | undefined): Schema {
  if (type === undefined) return schema;
  const { properties, items, anyOf } = schema;
  return {
    ...schema,
    ...(properties !== undefined && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, each]) => {
          const member = type.property(name);
          const text = describeMember(member, each.description ?? '');
          return [name, { ...annotate(each, member), ...(text !== '' && { description: text }) }];
        }),
      ),
    }),
    ...(items !== undefined && { items: annotate(items, type.item()) }),
    ...(anyOf !== undefined && { anyOf: anyOf.map((each) => annotate(each, type)) }),
  };
}

/** The names of numbers that can have a fraction. Other numbers of the control API are counts, statuses and times. */
const fractional = /^(?:speed|probability|by|ms|rate|\w+_amount)$/;

/** Makes the number of a property whole, unless it can have a fraction. */
function toWhole({ name }: ts.Symbol, schema: Schema): Schema {
  if (fractional.test(name)) return schema;
  if (schema['type'] === 'number' && schema.enum === undefined)
    return { ...schema, type: 'integer', minimum: 0 };
  return schema.anyOf === undefined
    ? schema
    : { ...schema, anyOf: schema.anyOf.map((each) => toWhole({ name } as ts.Symbol, each)) };
}

/** Returns the name of the schema of a type: its own, or that in the document of the service. */
function nameOf(type: ts.Type): string | undefined {
  const { name, declarations } = type.aliasSymbol ?? type.getSymbol() ?? {};
  const parent = declarations?.[0]?.parent;
  const own = name === '__type' && parent && ts.isPropertySignature(parent) ? parent.name.getText() : name;
  if (!/^[A-Z]/.test(own ?? '') || /^(?:Rows|Pick|Omit|Readonly)/.test(own ?? '')) return undefined;
  // Others would hide `Response` and `Event` of the language of a client.
  return own?.replace(/^(Account|Clock|ClockMove|DeliveryFault|Fault|Wallet)View$/, '$1');
}

/** Creates the conversion of types to JSON schemas. Named types get a title. */
function createConverter(
  checker: ts.TypeChecker,
  known: Readonly<Record<string, Schema>>,
): { readonly result: (call: ts.Signature) => Schema | undefined } {
  const toSchema = (type: ts.Type): Schema => {
    const name = nameOf(type);
    if (name !== undefined && known[name] !== undefined)
      return { ...annotate(known[name], document(checker, type)), title: name };
    if (type.isUnion()) return toUnion(type, name);
    if (type.flags & ts.TypeFlags.Null) return { type: 'null' };
    if (type.isLiteral()) return { type: typeof type.value, enum: [type.value] };
    if (type.flags & ts.TypeFlags.BooleanLike) return { type: 'boolean' };
    if (type.flags & ts.TypeFlags.NumberLike) return { type: 'number' };
    const isText = type.isIntersection() && type.types.some(({ flags }) => flags & ts.TypeFlags.StringLike);
    if (isText || type.flags & ts.TypeFlags.StringLike) return { type: 'string' };
    if (!(type.flags & ts.TypeFlags.Object) && !type.isIntersection()) return {};
    const element = checker.getIndexTypeOfType(type, ts.IndexKind.Number);
    if (element !== undefined) return { type: 'array', items: toSchema(element) };
    const values = checker.getIndexTypeOfType(type, ts.IndexKind.String);
    if (values !== undefined) return { type: 'object', additionalProperties: toSchema(values) };
    return toObject(type, name);
  };
  const toUnion = ({ types }: ts.UnionType, title: string | undefined): Schema => {
    const given = types.filter(({ flags }) => !(flags & ts.TypeFlags.Undefined));
    const literals = given.filter((each) => each.isLiteral());
    const open = given.filter((each) => !each.isLiteral()).map(toSchema);
    const texts = new Map(open.map((schema) => [JSON.stringify(schema), schema]));
    // A text of any form includes the named ones.
    const hasText = texts.has('{"type":"string"}');
    const values = literals
      .map(({ value }) => value)
      .filter((value) => !hasText || typeof value !== 'string');
    const kinds = new Set(values.map((value) => typeof value));
    const named =
      values.length === 0 ? [] : [{ ...(kinds.size === 1 && { type: [...kinds][0] }), enum: values }];
    const isNull = (schema: Schema): boolean => schema['type'] === 'null';
    const rest = [...texts.values()].toSorted((a, b) => Number(isNull(a)) - Number(isNull(b)));
    const all = [...named, ...rest];
    if (all.length === 1) return all[0] ?? {};
    const isObject = open.every((each) => each.properties !== undefined);
    return { ...(isObject && title !== undefined && { title }), anyOf: all };
  };
  const toObject = (type: ts.Type, title: string | undefined): Schema => {
    const members = checker.getPropertiesOfType(type).map((symbol) => {
      const own = checker.getTypeOfSymbol(symbol);
      const description = textOf(checker, symbol);
      const isOptional =
        (symbol.flags & ts.SymbolFlags.Optional) !== 0 || (own.flags & ts.TypeFlags.Unknown) !== 0;
      const schema = { ...toWhole(symbol, toSchema(own)), ...(description !== '' && { description }) };
      return { name: symbol.name, schema, isOptional };
    });
    const required = members.filter(({ isOptional }) => !isOptional).map(({ name }) => name);
    return {
      ...(title !== undefined && { title }),
      type: 'object',
      properties: Object.fromEntries(members.map(({ name, schema }) => [name, schema])),
      ...(required.length > 0 && { required }),
    };
  };
  return {
    result(call) {
      const returned = checker.getReturnTypeOfSignature(call);
      const type = checker.getAwaitedType(returned) ?? returned;
      return type.flags & ts.TypeFlags.VoidLike ? undefined : toSchema(type);
    },
  };
}
