import { createRequire } from 'node:module';

/** Is as much of a JSON schema as the fields of the control use. */
export type Schema = {
  readonly type?: string | readonly string[];
  readonly enum?: readonly (string | number)[];
  readonly const?: string | number;
  readonly pattern?: string;
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | false;
  readonly description?: string;
};

/** Holds one thing that an operation takes, and where it stands in the request. */
export type Field = {
  readonly name: string;
  readonly place: 'path' | 'query' | 'body';
  readonly isRequired: boolean;
  readonly schema: Schema;
  /** Says in the words of the document what it must be. */
  readonly words: string;
};

/** Holds an operation of the control as its document describes it. */
export type Operation = {
  readonly id: string;
  readonly method: string;
  /** Relative to `/_sandbox`, placeholders in braces. */
  readonly path: string;
  readonly summary: string;
  readonly fields: readonly Field[];
  /** Says whether a success has a body. */
  readonly hasAnswer: boolean;
};

type Parameter = {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly required: boolean;
  readonly description?: string;
  readonly schema: Schema;
};

type Described = {
  readonly operationId: string;
  readonly summary: string;
  readonly parameters?: readonly Parameter[];
  readonly responses: Readonly<Record<string, { readonly content?: object }>>;
  readonly requestBody?: {
    readonly content: {
      readonly 'application/json': { readonly schema: Schema & { readonly required?: readonly string[] } };
    };
  };
};

type Document = { readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>> };

/** Reads all operations of the control out of the document that the mock exports. */
export function readOperations(): readonly Operation[] {
  const { paths } = createRequire(import.meta.url)('@service/mock/sandbox.openapi.json') as Document;
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, described]) => ({
      id: described.operationId,
      method: method.toUpperCase(),
      path,
      summary: described.summary,
      fields: [...readParameters(described), ...readBody(described)],
      hasAnswer: Object.values(described.responses).some(({ content }) => content !== undefined),
    })),
  );
}

/** Returns the operation of an id. Throws for one that the document does not have. */
export function findOperation(id: string): Operation {
  const found = readOperations().find((operation) => operation.id === id);
  if (found !== undefined) return found;
  throw new Error(`The control has no operation ${id}.`);
}

function readParameters({ parameters = [] }: Described): Field[] {
  return parameters.map(({ name, in: place, required, description, schema }) => ({
    name,
    place,
    isRequired: required,
    schema,
    words: description ?? name,
  }));
}

function readBody({ requestBody }: Described): Field[] {
  const { properties = {}, required = [] } = requestBody?.content['application/json'].schema ?? {};
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    place: 'body',
    isRequired: required.includes(name),
    schema,
    words: schema.description ?? name,
  }));
}
