import type * as z from 'zod/mini';
import type { Sandbox } from '../sandbox.ts';

/** Lists the methods that operations have. */
export const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/** Names the method of an operation; those of GET and DELETE take their fields in the query, all others in a JSON body. */
export type Method = (typeof methods)[number];

/** Gives an operation what lies outside the sandbox. */
export interface ControlContext {
  /** Is aborted when the caller has gone. */
  readonly signal: AbortSignal;
  /** The version of this package. */
  readonly version: string;
  /** Writes the OpenAPI document of the control plane. */
  readonly createDocument: () => unknown;
}

/** Describes an operation of the control plane: what it takes, what it gives and what it does (contract.md 7). */
export interface ControlOperation {
  readonly id: string;
  readonly method: Method;
  /** Relative to `/_sandbox`, placeholders in braces. */
  readonly path: string;
  readonly summary: string;
  /** What it takes, from the path and the query or body together; it checks, and changes nothing. */
  readonly input: z.ZodMiniObject;
  /** What a success holds; one without it is answered without a body. */
  readonly output?: z.ZodMiniType;
  /**
   * The status of a success.
   *
   * @default 200, or 204 without a body
   */
  readonly status?: number;
  /**
   * The longest body in bytes.
   *
   * @default 65_536
   */
  readonly maxBody?: number;
  /**
   * Whether anybody may ask, without a token and from any host.
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

/** Defines an operation that answers with what its schema says; what it does gets just what its input promises. */
export function defineOperation<Input extends z.ZodMiniObject, Output>(
  definition: Definition<Input, Output>,
): ControlOperation {
  return definition as ControlOperation;
}

/** Defines an operation that answers without a body. */
export function defineEmptyOperation<Input extends z.ZodMiniObject>(
  definition: EmptyDefinition<Input>,
): ControlOperation {
  return definition as ControlOperation;
}
