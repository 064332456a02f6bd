const struck = '[redacted key]';

/** Strikes API keys out of a text: the one in use, and whatever looks like one. */
export function redactText(text: string, secret: string = struck): string {
  return text.replaceAll(secret, struck).replaceAll(/service_(test|live)_[\w.~+/=-]+/g, struck);
}

/** Returns a copy of parsed JSON with API keys struck out of its texts; what lies too deep is left out. */
export function redactJson(value: unknown, secret?: string, depth = 0): unknown {
  const inner = (item: unknown): unknown => redactJson(item, secret, depth + 1);
  if (typeof value === 'string') return redactText(value, secret);
  if (typeof value !== 'object' || value === null) return value;
  if (depth > 32) return left;
  if (Array.isArray(value)) return value.map(inner);
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [redactText(name, secret), inner(item)]),
  );
}

/**
 * Returns a cause that can be shown. An error that says nothing to strike out is returned itself; of any other a copy keeps
 * prototype, message, stack, inner causes and whatever else it says in texts and numbers. An object that is no error stays
 * out: it may hold the request.
 */
export function redactCause(cause: unknown, secret?: string, depth = 0): unknown {
  if (typeof cause === 'string') return redactText(cause, secret);
  if (!isError(cause)) return isOpaque(cause) ? left : cause;
  if (depth > 8) return undefined;
  try {
    return copyError(cause, (value) => redactCause(value, secret, depth + 1));
  } catch {
    // It was made to defy reading.
    return left;
  }
}

const left = '[left out]';
// A DOMException keeps its texts in getters of its prototype.
const inherited = ['name', 'message', 'stack', 'code'];

/** Tells whether a value is an error, of whatever realm: those of `fetch` are of another one under Jest. */
function isError(value: unknown): value is Error {
  return (
    value instanceof Error || /^\[object (Error|DOMException)\]$/.test(Object.prototype.toString.call(value))
  );
}

function isOpaque(value: unknown): boolean {
  return value !== null && ['object', 'function', 'symbol'].includes(typeof value);
}

/** Copies an error, where redacting changes anything. */
function copyError(error: Error, redact: (value: unknown) => unknown): Error {
  const copy = Object.create(Object.getPrototypeOf(error) as object) as Error;
  let isClean = true;
  for (const name of new Set([...inherited, ...Reflect.ownKeys(error)])) {
    const said: unknown = Reflect.get(error, name);
    const items = Array.isArray(said) ? said : [said];
    const redacted = items.map(redact);
    const value = items === said ? redacted : redacted[0];
    isClean &&= redact(name) === name && redacted.every((item, at) => item === items[at]);
    if (said === undefined || value === left || typeof name === 'symbol') continue;
    Object.defineProperty(copy, String(redact(name)), { value, configurable: true, writable: true });
  }
  return isClean ? error : copy;
}
