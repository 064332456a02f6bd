import { type Mode, modes, type OperationId, operations } from '@service/contract';
import * as z from 'zod/mini';
import type { FaultOptionTable } from '../../domain/fault-option.ts';
import { type EventName, eventNames } from '../../domain/payment.ts';
import type { Duration } from '../../state/duration.ts';

interface Describable {
  readonly check: (check: ReturnType<typeof z.describe>) => unknown;
}

/**
 * Creates a schema with a description. The OpenAPI document contains it, and error messages use it after
 * "must be".
 */
export function described<Schema extends Describable>(
  words: string,
  make: (message: string) => Schema,
): Schema {
  return make(`must be ${words}`).check(z.describe(words)) as Schema;
}

/** Creates optional fields from the options of faults. */
export function faultShape(options: FaultOptionTable): Record<string, z.ZodMiniExactOptional<z.ZodMiniType>> {
  return Object.fromEntries(
    Object.entries(options).map(([name, { expected, parse, json }]) => {
      const field = z.custom((value) => parse(value) !== undefined, `must be ${expected}`);
      return [name, z.exactOptional(field.check(z.meta(json)))];
    }),
  );
}

/** Creates an object schema that rejects other fields. */
export function fields<Shape extends z.core.$ZodLooseShape>(
  shape: Shape,
): z.ZodMiniObject<Shape, z.core.$strict> {
  return z.strictObject(shape, { error: (issue) => explainObjectIssue(issue, Object.keys(shape)) });
}

interface ObjectIssue {
  readonly code: string;
  readonly keys?: unknown;
}

const MAX_SHOWN_NAMES = 3;

function explainObjectIssue({ code, keys }: ObjectIssue, known: readonly string[]): string {
  const taken = known.length === 0 ? 'it takes none' : `it takes ${known.join(', ')}`;
  if (code !== 'unrecognized_keys' || !Array.isArray(keys)) return `must be an object; ${taken}`;
  const shown = keys.slice(0, MAX_SHOWN_NAMES).map((key) => JSON.stringify(String(key).slice(0, 64)));
  const more = keys.length > shown.length ? ` and ${keys.length - shown.length} more` : '';
  return `has no field ${shown.join(', ')}${more}; ${taken}`;
}

/** Creates a schema of the given values. */
export function oneOf<const Values extends readonly (string | number)[]>(
  values: Values,
): z.ZodMiniLiteral<Values[number]> {
  const words = values.map((value) => (typeof value === 'string' ? `'${value}'` : value)).join(' or ');
  return described(words, (message) => z.literal([...values], message));
}

/** Creates a text schema. */
export const text = (words: string): z.ZodMiniString => described(words, z.string);

/** Creates a schema of whole numbers. */
export const whole = (words: string): z.ZodMiniNumberFormat => described(words, z.int);

/** Creates a number schema. */
export const number = (words: string): z.ZodMiniNumber => described(words, z.number);

export const account: z.ZodMiniString = text('the id of an account');

export const mode: z.ZodMiniLiteral<Mode> = oneOf(modes);

export const operation: z.ZodMiniLiteral<OperationId> = oneOf(Object.keys(operations) as OperationId[]);

export const currency: z.ZodMiniString = text("a code such as 'USD'");

export const amount: z.ZodMiniUnion<[z.ZodMiniNumber, z.ZodMiniString]> = described(
  "a number or decimal text such as '1000.00'",
  (message) => z.union([z.number(), z.string()], message),
);

export const duration: z.ZodMiniType<Duration> = described(
  "milliseconds as a number, or text such as '500ms', '3s', '5m', '2h' or '1d'",
  (message) => z.union([z.number(), z.string().check(z.regex(/^\d+(?:\.\d+)?(?:ms|s|m|h|d)$/))], message),
) as z.ZodMiniType<Duration>;

export const time: z.ZodMiniString = text('an ISO 8601 time');

/** An account and mode. Default: the first account in test mode. */
export const accountMode: {
  readonly account: z.ZodMiniExactOptional<z.ZodMiniString>;
  readonly mode: z.ZodMiniExactOptional<z.ZodMiniLiteral<Mode>>;
} = { account: z.exactOptional(account), mode: z.exactOptional(mode) };

export const event: z.ZodMiniLiteral<EventName> = oneOf(eventNames);

// Clients and proxies close idle connections after some minutes.
const LONGEST_WAIT = 600_000;

/** The timeout of a wait, in milliseconds. */
export const waitTime: z.ZodMiniNumber = number(
  `milliseconds from 0 to ${LONGEST_WAIT} (default: 3000)`,
).check(z.lte(LONGEST_WAIT, `must be at most ${LONGEST_WAIT} milliseconds`));
