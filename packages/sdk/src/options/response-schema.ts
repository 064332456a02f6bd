import type { OperationId } from '@service/contract';
import { redactText } from '../errors/redact.ts';
import { isRecord } from '../values/json.ts';

/** Checks values, in the form that zod, Valibot, ArkType and others share (standardschema.dev). */
export type StandardSchema = {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => SchemaResult | Promise<SchemaResult>;
  };
};

/** Holds what a schema finds: no `issues` where the value passes. */
export type SchemaResult = { readonly issues?: readonly SchemaIssue[] | undefined };

/** Says what is wrong with a value, and where in it. */
export type SchemaIssue = {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
};

/** Gives for operations what the whole body of a successful answer must be, `success`, `mode` and `data`. */
export type ResponseSchemas = { readonly [Operation in OperationId]?: StandardSchema | undefined };

/** Describes what is wrong with a body by a schema; undefined when nothing is. A schema that fails finds everything wrong. */
export async function findMismatch(schema: StandardSchema, body: unknown): Promise<string | undefined> {
  try {
    const { issues } = await schema['~standard'].validate(body);
    return issues?.length ? issues.slice(0, 3).map(describe).join('; ') : undefined;
  } catch {
    return 'the schema failed on it';
  }
}

function describe({ path = [], message, expected }: SchemaIssue & { readonly expected?: unknown }): string {
  // zod without words of a language says no more than this; what it expected stands beside it.
  const wanted = typeof expected === 'string' && !message.includes(expected) ? ` (expected ${expected})` : '';
  const place = path.map((step) => String(isRecord(step) ? step.key : step)).join('.');
  return redactText(`${place || 'the body'}: ${message}${wanted}`);
}
