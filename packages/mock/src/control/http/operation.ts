import type * as z from 'zod/mini';
import type { Sandbox } from '../sandbox.ts';

/** The HTTP methods of the operations. */
export const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/**
 * The HTTP method of an operation. GET and DELETE take their fields from the query, the others from a JSON
 * body.
 */
export type Method = (typeof methods)[number];

/** The request and package data for an operation. */
export interface ControlContext {
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal;
  /** The version of this package. */
  readonly version: string;
  /** Creates the OpenAPI document of the control API. */
  readonly createDocument: () => unknown;
}

/** An operation of the control API. */
export interface ControlOperation {
  readonly id: string;
  readonly method: Method;
  /** Relative to `/_sandbox`, with parameters in braces. */
  readonly path: string;
  readonly summary: string;
  /** The schema of the fields from path, query and body. It validates without converting. */
  readonly input: z.ZodMiniObject;
  /** The schema of a successful response. Without it, the response has no body. */
  readonly output?: z.ZodMiniType;
  /**
   * The status of a successful response.
   *
   * @default 200, or 204 without a body
   */
  readonly status?: number;
  /**
   * Maximum size of the request body, in bytes.
   *
   * @default 65_536
   */
  readonly maxBody?: number;
  /**
   * Whether the operation needs no token and accepts any host.
   *
   * @default false
   */
  readonly isOpen?: boolean;
  readonly run: (sandbox: Sandbox, input: unknown, context: ControlContext) => unknown;
}

interface Definition<Input extends z.ZodMiniObject, Output> extends Omit<
  ControlOperation,
  'input' | 'output' | 'run'
> {
  readonly input: Input;
  readonly output: z.ZodMiniType<Output>;
  readonly run: (
    sandbox: Sandbox,
    input: z.output<Input>,
    context: ControlContext,
  ) => Output | Promise<Output>;
}

type EmptyDefinition<Input extends z.ZodMiniObject> = Omit<Definition<Input, never>, 'output' | 'run'> & {
  readonly run: (sandbox: Sandbox, input: z.output<Input>) => void | Promise<void>;
};

/** Defines an operation with a response body. Types its handler by the schemas. */
export function defineOperation<Input extends z.ZodMiniObject, Output>(
  definition: Definition<Input, Output>,
): ControlOperation {
  return definition as ControlOperation;
}

/** Defines an operation without a response body. */
export function defineEmptyOperation<Input extends z.ZodMiniObject>(
  definition: EmptyDefinition<Input>,
): ControlOperation {
  return definition as ControlOperation;
}
