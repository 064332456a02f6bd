import type { OperationId } from '@service/contract';
import { redactText } from '../errors/redact.ts';
import { createUsageError } from '../errors/error-classes.ts';
import { type Field, isRecord, parseObject } from '@service/internal';

/** A schema in the common form of zod, Valibot, ArkType and others (https://standardschema.dev). */
export interface StandardSchema {
  /** The entry point that Standard Schema defines. */
  readonly '~standard': {
    /** The version of Standard Schema. */
    readonly version: 1;
    /** The name of the schema library. */
    readonly vendor: string;
    /** Checks a parsed response body. */
    readonly validate: (value: unknown) => SchemaResult | Promise<SchemaResult>;
  };
}

/** The result of a schema. `issues` is undefined if the value is valid. */
export interface SchemaResult {
  /** The problems of an invalid value. */
  readonly issues?: readonly SchemaIssue[] | undefined;
}

/** A problem of a value, and the path to it. */
export interface SchemaIssue {
  /** The problem, as text of the schema library. */
  readonly message: string;
  /** The names and indexes from the response body to the value. */
  readonly path?:
    | readonly (
        | PropertyKey
        | {
            /** The name or index. */
            readonly key: PropertyKey;
          }
      )[]
    | undefined;
}

/**
 * Schemas of successful responses by operation. A schema validates the whole body: `success`, `mode` and
 * `data`.
 *
 * @example { getBalance: balanceSchema }
 */
export type ResponseSchemas = { readonly [Operation in OperationId]?: StandardSchema | undefined };

const standardSchema: Field<StandardSchema> = {
  expected: 'a Standard Schema, for example from zod',
  parse: (value) =>
    (value as StandardSchema | null)?.['~standard']?.validate ? (value as StandardSchema) : undefined,
};
const operationSchemas = {
  createQuote: standardSchema,
  createPayment: standardSchema,
  getPayment: standardSchema,
  getBalance: standardSchema,
  listTransactions: standardSchema,
} as const satisfies Record<keyof ResponseSchemas, Field>;

/**
 * Parses the option `responseSchemas`.
 *
 * @throws {ConfigurationError} when an operation is unknown or its schema is not a Standard Schema.
 */
export function parseResponseSchemas(value: unknown): ResponseSchemas {
  return parseObject(value, {
    name: 'The value',
    fields: operationSchemas,
    createError: (message) => createUsageError(`responseSchemas: ${message}`),
  });
}

interface ValidationOptions {
  readonly responseValidation?: 'off' | 'warn' | 'throw' | undefined;
  readonly responseSchemas?: ResponseSchemas | undefined;
}

/**
 * Checks that response validation has both options that it needs.
 *
 * @throws {ConfigurationError} when one of them is missing, so that no response would be validated.
 */
export function assertValidationOptions(options: ValidationOptions): void {
  const { responseValidation, responseSchemas } = options;
  const isEnabled = responseValidation === 'warn' || responseValidation === 'throw';
  if (isEnabled && !Object.values(responseSchemas ?? {}).some(Boolean)) {
    throw createUsageError(
      'responseValidation needs responseSchemas: a Standard Schema for each operation to validate.',
    );
  }
  if (responseSchemas && responseValidation === undefined) {
    throw createUsageError(
      "responseSchemas needs responseValidation: 'warn', 'throw', or 'off' to disable the schemas.",
    );
  }
}

/**
 * Returns the problems of a body as text, or undefined if it matches the schema. A schema that throws does
 * not match.
 */
export async function findMismatch(schema: StandardSchema, body: unknown): Promise<string | undefined> {
  try {
    const { issues } = await schema['~standard'].validate(body);
    return issues?.length ? issues.slice(0, 3).map(formatIssue).join('; ') : undefined;
  } catch {
    return 'the schema threw an error';
  }
}

function formatIssue({
  path = [],
  message,
  expected,
}: SchemaIssue & { readonly expected?: unknown }): string {
  // Without a locale, the messages of zod are general. `expected` has the details.
  const suffix = typeof expected === 'string' && !message.includes(expected) ? ` (expected ${expected})` : '';
  const place = path.map((step) => String(isRecord(step) ? step.key : step)).join('.');
  return redactText(`${place || 'the body'}: ${message}${suffix}`);
}
