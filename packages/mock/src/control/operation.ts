import type { Deliveries } from '../webhooks/dispatcher.ts';
import type { Faults } from '../state/faults.ts';
import type { RateLimiter } from '../state/rate-limit.ts';
import type { RequestLog } from '../state/request-log.ts';
import type { ReadChanges } from './changes.ts';
import type { AccountsSnapshot, StateSnapshot } from '../state/snapshot.ts';
import type { State } from '../state/state.ts';
import type { StandingSeed } from '../seed/apply.ts';
import type { SandboxSeed } from '../seed/seed.ts';
import {
  type Checked,
  checkFields,
  type Given,
  type InProcess,
  type JsonSchema,
  type Value,
  type ValueFields,
} from '../domain/value.ts';
import { copyOwn, isRecord } from '@service/internal';
import { SandboxError } from '../state/sandbox-error.ts';
import { type WaitLimits, waitOptions, type WaitTimeoutOptions } from './wait.ts';

/** The parts of a sandbox. */
export interface SandboxParts {
  readonly state: State;
  readonly deliveries: Deliveries;
  readonly rateLimiter: RateLimiter;
  readonly faults: Faults;
  readonly requestLog: RequestLog;
  /** The state that `reset` restores. */
  baseline: StateSnapshot;
  /** The states that `reset` of one account restores, by its id, in place of that in `baseline`. */
  readonly accountBaselines: Map<string, AccountsSnapshot>;
  /** Reads the changes for live pages. Undefined until a page has asked for them. */
  readChanges?: ReadChanges;
  /** The faults and the rate limit that `reset` applies again. */
  standing: StandingSeed;
  /** Creates the parts of an empty sandbox with a manual clock, for a seed. Options of the mock override the seed. */
  readonly createBlank: (seed: SandboxSeed) => SandboxParts;
}

/**
 * The HTTP method of an operation. GET and DELETE take their fields from the query, the others from a JSON
 * body.
 */
type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** The HTTP form of an operation, apart from the operation: pages with a mock do not load it. */
export interface Route {
  /** The `operationId` in the OpenAPI document, and the name of the operation in error messages over HTTP. */
  readonly id: string;
  readonly method: Method;
  /** Relative to `/_sandbox`, with parameters in braces. */
  readonly path: string;
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
  /** Whether the operation needs no token and accepts any host. */
  readonly isOpen?: true;
  /**
   * Checks the fields of a request with the API key of an account. Throws the error of an unknown id if they name
   * anything of another account. Without it, and without a field `account`, the operation needs the token.
   */
  readonly checkOwner?: CheckOwner;
  /** The body of a successful response. Without it, the response has no body. */
  readonly output?: Body;
  /** The forms of the body, of which each request has one. Default: any combination of the fields. */
  readonly variants?: readonly Variant[];
  /** Example fields for the OpenAPI document and the help of the command line. */
  readonly example?: JsonSchema;
  /** The options of the command line that differ from its rules. `'none'`: there is no command. */
  readonly cli?: CliOptions | 'none';
}

/** Checks that fields of an operation name parts of one account. */
type CheckOwner = (parts: SandboxParts, input: Readonly<Record<string, unknown>>, account: string) => void;

/** A form of a body, which the values of some fields select. */
export interface Variant {
  readonly constants: Readonly<Record<string, string>>;
  /** The constants that a request of this form cannot leave out. */
  readonly required: readonly string[];
  /** The other fields of this form. */
  readonly fields: ValueFields;
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

/** An operation of the sandbox: a function of `mock.sandbox`. */
export interface Operation<Call = unknown> {
  readonly input: ValueFields;
  /** The fields that are positional arguments in process. By default the fields are one object. */
  readonly args?: readonly string[];
  /** Whether the in-process function rejects for invalid arguments instead of throwing. */
  readonly isAsync?: true;
  /** Whether the operation waits: in process with a second argument, over HTTP with the field `timeout`. */
  readonly isWait?: true;
  readonly run: (parts: SandboxParts, input: never, limits: WaitLimits) => unknown;
  /** Creates the in-process function if it differs from the operation. */
  readonly createCall?: (parts: SandboxParts) => Call;
  /** Only for the type checker. */
  readonly call?: Call;
}

/** The operations of a group, by the names of their functions. */
export type Group<Control> = { readonly [Name in keyof Control]: Operation<Control[Name]> };

/** The routes of the operations of a group. */
export type Routes<Control> = {
  readonly [Name in keyof Control]: Control[Name] extends (...args: never) => infer Result
    ? RouteOf<Awaited<Result>>
    : never;
};

type RouteOf<Result> = Omit<Route, 'output'> & {
  readonly output?: Value<Result, never> | ConvertedBody<Result>;
};

/** The schema of a body that is converted from the result. */
interface ConvertedBody<Result> extends Value<unknown, never> {
  readonly toBody: (result: Result, parts: SandboxParts) => unknown;
}

/** The schema of a body, which is the result of the operation or converted from it. */
type Body = Value<unknown, never> & Partial<ConvertedBody<never>>;

/** Describes a body that is converted from the result. */
/* @__NO_SIDE_EFFECTS__ */
export function convertBody<Result, Output>(
  output: Value<Output, never>,
  toBody: (result: Result, parts: SandboxParts) => NoInfer<Output>,
): ConvertedBody<Result> {
  return { ...output, toBody };
}

type Arguments<All extends ValueFields, Args> = Args extends readonly string[]
  ? { readonly [Index in keyof Args]?: InProcess<All[Args[Index] & keyof All]> | undefined }
  : readonly [fields?: Given<All>, options?: WaitTimeoutOptions];

type Derived<All extends ValueFields, Args, Result> = (
  ...args: Arguments<All, Args> extends readonly unknown[] ? Arguments<All, Args> : never
) => Result;

/** A definition whose in-process function, of the type `Call`, follows from its schemas. */
interface Definition<All extends ValueFields, Args, Result, Call> extends Pick<
  Operation,
  'isAsync' | 'isWait'
> {
  readonly input: All;
  readonly args?: Args;
  readonly run: (parts: SandboxParts, input: Checked<All>, limits: WaitLimits) => Result;
  readonly createCall?: (parts: SandboxParts) => Call;
}

/** Defines an operation. */
export function defineOperation<
  All extends ValueFields,
  Result,
  const Args extends readonly (keyof All & string)[] | undefined = undefined,
  Call = Derived<All, Args, Result>,
>(definition: Definition<All, Args, Result, Call>): Operation<Call> {
  return definition as object as Operation<Call>;
}

/** Creates the in-process functions of a group. */
export function bindGroup<Control>(group: Group<Control>, parts: SandboxParts, prefix = ''): Control {
  const operations = Object.entries(group) as [string, Operation][];
  return Object.fromEntries(
    operations.map(([name, operation]) => [name, bindOperation(prefix + name, operation, parts)]),
  ) as Control;
}

function bindOperation(name: string, operation: Operation, parts: SandboxParts): unknown {
  const { args, input, run, isAsync, isWait, createCall } = operation;
  if (createCall !== undefined) return createCall(parts);
  const isEmptyAllowed = Object.values(input).every(({ isOptional }) => isOptional);
  const call = (...given: unknown[]): unknown => {
    const [first = isEmptyAllowed ? {} : undefined, options = {}] = given;
    const fields =
      args === undefined ? first : Object.fromEntries(args.map((arg, index) => [arg, given[index]]));
    const checked = parseFields(name, toJsonFields(fields, input), input);
    const limits = isWait ? parseFields(`${name} options`, options, waitOptions) : {};
    return run(parts, checked as never, limits);
  };
  return isAsync ? async (...given: unknown[]) => call(...given) : call;
}

/** Converts in-process values to their JSON form. */
export function toJsonFields(value: unknown, fields: ValueFields): unknown {
  if (!isRecord(value)) return value;
  const given = copyOwn(value);
  for (const [name, { toJson }] of Object.entries(fields)) {
    if (toJson !== undefined && given[name] !== undefined) given[name] = toJson(given[name] as never);
  }
  return given;
}

/**
 * Parses the JSON form of fields.
 *
 * @throws {SandboxError} that names each field that is invalid or unknown
 */
export function parseFields<All extends ValueFields>(
  call: string,
  value: unknown,
  fields: All,
): Checked<All> {
  if (!isRecord(value)) {
    const message = `${call} takes an object with ${Object.keys(fields).join(', ')}.`;
    throw new SandboxError('invalid_argument', message);
  }
  const { parsed, problems } = checkFields(copyOwn(value), fields);
  if (problems.length === 0) return parsed;
  throw new SandboxError('invalid_argument', `${call}: ${problems.join('; ')}.`);
}
