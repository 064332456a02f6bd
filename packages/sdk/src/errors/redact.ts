const keyLike = /service_(test|live)_[\w-]+/g;

/** Strikes API keys out of a text: the one in use, and whatever looks like one. */
export function redactText(text: string, secret?: string): string {
  const struck = secret === undefined ? text : text.replaceAll(secret, '[redacted key]');
  return struck.replaceAll(keyLike, '[redacted key]');
}

/** Returns a copy of parsed JSON with API keys struck out of its texts; what lies too deep is left out. */
export function redactJson(value: unknown, secret?: string, depth = 0): unknown {
  const inner = (item: unknown): unknown => redactJson(item, secret, depth + 1);
  if (typeof value === 'string') return redactText(value, secret);
  if (typeof value !== 'object' || value === null) return value;
  if (depth > deepestJson) return '[left out]';
  if (Array.isArray(value)) return value.map(inner);
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [redactText(name, secret), inner(item)]),
  );
}

/**
 * Returns a cause that can be shown. What is proven free of keys is returned itself; of the rest, such as an error
 * that carries a request, a copy keeps prototype, message, stack, codes and inner causes, with keys struck out.
 */
export function redactCause(cause: unknown, secret?: string, depth = 0): unknown {
  if (isClean(cause, secret)) return cause;
  if (depth > deepestCause) return undefined;
  if (cause instanceof Error) return copyError(cause, secret, depth);
  return typeof cause === 'string' ? redactText(cause, secret) : '[redacted value]';
}

const deepestJson = 32;
const deepestCause = 8;

function isClean(cause: unknown, secret?: string): boolean {
  try {
    return everyText(cause, (text) => redactText(text, secret) === text, new Set());
  } catch {
    // A getter that throws, or a graph too deep to walk: nothing is proven.
    return false;
  }
}

/** Tells whether all texts that printing a value could show pass; never for values that hide what they hold. */
function everyText(value: unknown, passes: (text: string) => boolean, seen: Set<unknown>): boolean {
  if (typeof value === 'string') return passes(value);
  if (typeof value === 'function' || typeof value === 'symbol') return false;
  if (typeof value !== 'object' || value === null || seen.has(value)) return true;
  if (!(value instanceof Error || isPlain(value))) return false;
  seen.add(value);
  // A DOMException keeps its texts in getters of its prototype.
  const inherited = value instanceof Error ? [value.name, value.message, value.stack] : [];
  return [...inherited, ...ownValues(value)].every((item) => everyText(item, passes, seen));
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return Array.isArray(value) || prototype === Object.prototype || prototype === null;
}

function ownValues(value: object): unknown[] {
  return Reflect.ownKeys(value).flatMap((name) => [String(name), Reflect.get(value, name)]);
}

const kept = ['code', 'errno', 'syscall', 'address', 'port', 'hostname'] as const;

function copyError(error: Error, secret: string | undefined, depth: number): Error {
  const inner = (value: unknown): unknown => redactCause(value, secret, depth + 1);
  const copy = Object.create(Object.getPrototypeOf(error) as object) as Error;
  const set = (name: string, value: unknown): void => {
    if (value === undefined) return;
    Object.defineProperty(copy, name, { value, configurable: true, writable: true });
  };
  for (const name of ['name', 'message', 'stack'] as const) set(name, redactText(error[name] ?? '', secret));
  for (const name of kept) set(name, redactJson(Reflect.get(error, name), secret));
  set('cause', inner(error.cause));
  const { errors } = error as Partial<AggregateError>;
  set('errors', Array.isArray(errors) ? errors.map(inner) : undefined);
  return copy;
}
