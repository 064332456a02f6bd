// The surroundings of the code blocks of the mock.
import { body, client } from './common.ts';

export * from './common.ts';
export { persist } from '@service/mock';
export { createHandlers } from '@service/mock/msw';
export { mountSandbox } from '@service/mock/next';

export const ready: Promise<unknown> = client.payments.create(body);

export const initial = { accounts: [{ name: 'app', testKey: 'service_test_app' }] };

/** A worker of MSW, which needs a browser. */
export const setupWorker = (
  ...handlers: readonly unknown[]
): { start(options: { onUnhandledFrame: string }): Promise<number> } => ({
  start: async () => handlers.length,
});

const texts = new Map<string, string>();
export const redis = {
  get: async (key: string): Promise<string | undefined> => texts.get(key),
  set: async (key: string, text: string): Promise<void> => void texts.set(key, text),
};

/** The test that Playwright runs. */
export const test = { info: () => ({ testId: 'a4f2c1' }) };

globalThis.location = new URL('http://localhost:5173/checkout') as unknown as Location;
globalThis.addEventListener = () => {};
globalThis.removeEventListener = () => {};
globalThis.sessionStorage = {
  getItem: (name: string) => texts.get(name) ?? null,
  setItem: (name: string, text: string) => void texts.set(name, text),
  removeItem: (name: string) => void texts.delete(name),
} as Storage;
