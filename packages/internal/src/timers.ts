// Captured at load time: fake timers that a test installs later must not block a wait of the package itself.
// Those that are installed earlier, as by `enableGlobally` of jest, keep the real ones (@sinonjs/fake-timers).
function findReal<Name extends keyof typeof globalThis>(name: Name): (typeof globalThis)[Name] {
  const present = globalThis[name] as { readonly clock?: Record<string, unknown> } | undefined;
  return (present?.clock?.[`_${name}`] ?? present) as (typeof globalThis)[Name];
}

export const setTimeout: typeof globalThis.setTimeout = /* @__PURE__ */ findReal('setTimeout');
export const clearTimeout: typeof globalThis.clearTimeout = /* @__PURE__ */ findReal('clearTimeout');
export const setInterval: typeof globalThis.setInterval = /* @__PURE__ */ findReal('setInterval');
export const clearInterval: typeof globalThis.clearInterval = /* @__PURE__ */ findReal('clearInterval');
/** Undefined in browsers. */
export const setImmediate: typeof globalThis.setImmediate = /* @__PURE__ */ findReal('setImmediate');
/** Returns the system time in milliseconds since 1970. */
export const systemNow: () => number = Date.now;
/** Returns milliseconds since an arbitrary start. Unlike the system time, it never goes back. */
export const monotonicNow: () => number = /* @__PURE__ */ performance.now.bind(performance);
