import { copyOwn, isRecord } from '@service/internal';
import * as s from '../domain/schema.ts';
import { SandboxError } from '../state/sandbox-error.ts';
import type { DeliveryFault } from '../domain/fault.ts';
import type { Faults } from '../state/faults.ts';
import type { RequestLog } from '../state/request-log.ts';
import type { StateSnapshot } from '../state/snapshot.ts';
import type { State } from '../state/state.ts';
import type { Deliveries } from '../webhooks/dispatcher.ts';

/**
 * The HTTP method of an operation. GET and DELETE take their fields from the query, the others from a JSON
 * body.
 */
type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** The HTTP form, the command and the function of an operation. */
interface Form {
  /**
   * The status of a response with a body.
   *
   * @default 200
   */
  readonly status?: number;
  /**
   * Maximum size of the request body, in bytes.
   *
   * @default 65_536
   */
  readonly maxBody?: number;
  /** Whether the operation needs no token and accepts any host. */
  readonly isOpen?: true;
  /** The options of the command line that differ from its rules. `'none'`: there is no command. */
  readonly cli?: CliOptions | 'none';
  /**
   * The fields that are positional arguments in process. Null: all fields are one object.
   *
   * @default the only field; several fields are one object
   */
  readonly args?: readonly string[] | null;
  /** Whether the in-process function rejects for invalid arguments instead of throwing. */
  readonly isAsync?: true;
  /** Whether `run` checks the argument of the in-process function itself. */
  readonly isChecked?: true;
}

/** The command of an operation. */
interface CliOptions {
  /** @default the names of the group and of the operation: `wallets.credit` is `wallet credit` */
  readonly command?: string;
  /** Whether the command reads its body from a file, or prints its response as JSON. */
  readonly isDocument?: true;
  /** Whether the response contains a new key or secret, which the command prints unmasked. */
  readonly reveals?: true;
}

/** An operation of the sandbox: a function of `mock.sandbox`, a request of the control API, and a command. */
export interface Operation<Result = unknown, Name extends string = string> extends Form {
  /** The `operationId` in the OpenAPI document, and the name of the operation in error messages over HTTP. */
  readonly id: string;
  readonly method: Method;
  /** Relative to `/_sandbox`, with parameters in braces. */
  readonly path: string;
  /** The schema of the fields. */
  readonly input: s.ObjectSchema<Readonly<Record<Name, s.Schema>>>;
  readonly run: (context: Context, input: never) => Result;
  /**
   * Converts the result to the body of the response. Without a body, the response is 204.
   *
   * @default the result
   */
  readonly toBody?: (result: never, context: Context, input: never) => unknown;
}

/**
 * The operations of a group of in-process functions. Their names, their results and the names of their fields follow from the
 * functions, which users read: an operation states its HTTP form, the rules of its fields, and its work.
 */
export type Operations<Control> = {
  readonly [Name in keyof Control]: Control[Name] extends (...given: infer Given) => infer Result
    ? Operation<Result, FieldOf<Given extends [only?: infer Only] ? Only : string>>
    : never;
};

/** The names of the fields of an object. An argument that can be text is a field of any name. */
type FieldOf<Given> = Given extends object ? keyof Given & string : Given extends string ? string : never;

/** A definition of an operation, with the parsed fields as the input of `run`. */
interface Definition<All extends s.Fields, Result> extends Form {
  readonly input: All;
  readonly run: (context: Context, input: s.Output<All>) => Result;
  readonly toBody?: (result: Awaited<Result>, context: Context, input: s.Output<All>) => unknown;
}

/** Defines an operation, everything about it in one value. `route` is its method and its path relative to `/_sandbox`. */
/* @__NO_SIDE_EFFECTS__ */
export function operation<const All extends s.Fields, Result>(
  id: string,
  route: `${Method} /${string}`,
  definition: Definition<All, Result>,
): Operation<Result, keyof All & string> {
  const [method, path] = route.split(' ');
  return {
    id,
    method,
    path,
    ...definition,
    input: s.strict(definition.input),
  } as object as Operation<Result, keyof All & string>;
}

/** Creates the in-process functions of a group. */
export function bindGroup<Control>(group: Operations<Control>, context: Context, prefix = ''): Control {
  const operations = Object.entries(group) as [string, Operation][];
  return Object.fromEntries(
    operations.map(([name, each]) => [name, bindOperation(prefix + name, each, context)]),
  ) as Control;
}

function bindOperation(name: string, each: Operation, context: Context): (...given: unknown[]) => unknown {
  const { input, run, isAsync, isChecked } = each;
  const names = Object.keys(input.fields);
  const isEmptyAllowed = Object.values(input.fields).every(({ inner }) => inner !== undefined);
  const { args = names.length === 1 ? names : null } = each;
  const call = (...given: unknown[]): unknown => {
    const [first = isEmptyAllowed ? {} : undefined] = given;
    const fields = args === null ? first : Object.fromEntries(args.map((arg, index) => [arg, given[index]]));
    const checked = isChecked ? first : parseInput(name, fields, input);
    return run(context, checked as never);
  };
  return isAsync ? async (...given) => call(...given) : call;
}

/**
 * Parses the fields of a call.
 *
 * @throws {SandboxError} that names each field that is invalid or unknown
 */
export function parseInput<All extends s.Fields>(
  call: string,
  value: unknown,
  schema: s.ObjectSchema<All>,
  createError: (message: string) => Error = (message) => new SandboxError('invalid_argument', message),
): s.Output<All> {
  if (!isRecord(value))
    throw createError(`${call} takes an object with ${Object.keys(schema.fields).join(', ')}.`);
  const checked = s.check(schema, copyOwn(value));
  if ('parsed' in checked) return checked.parsed;
  throw createError(`${call}: ${checked.problems.map(s.formatProblem).join('; ')}.`);
}

/** The parts of a sandbox that operations read and change. */
export interface Context {
  readonly state: State;
  readonly deliveries: Deliveries;
  /** The injected faults by target. */
  readonly faults: { readonly request: Faults; readonly delivery: Faults<DeliveryFault> };
  readonly requestLog: RequestLog;
  /** The state that `reset` restores. */
  baseline: StateSnapshot;
  /** The faults of the seed, which `reset` injects again. */
  standing: readonly object[];
}
