// Captured at load time: fake timers that a test installs later must not block a wait of the package itself.

export const setTimeout: typeof globalThis.setTimeout = globalThis.setTimeout;
export const clearTimeout: typeof globalThis.clearTimeout = globalThis.clearTimeout;
export const setInterval: typeof globalThis.setInterval = globalThis.setInterval;
export const clearInterval: typeof globalThis.clearInterval = globalThis.clearInterval;
/** Undefined in browsers. */
export const setImmediate: typeof globalThis.setImmediate = globalThis.setImmediate;
/** Returns the system time in milliseconds since 1970. */
export const systemNow: () => number = Date.now;
/** Returns milliseconds since an arbitrary start. Unlike the system time, it never goes back. */
export const monotonicNow: () => number = /* @__PURE__ */ performance.now.bind(performance);
