// Test files of one project share a process, one after another, so a file must leave the process as it found it.
import { afterAll, expect, vi } from 'vitest';

interface Process {
  readonly globals: ReadonlyMap<string, unknown>;
  readonly inherited: readonly PropertyKey[];
  readonly env: NodeJS.ProcessEnv;
  readonly listeners: Readonly<Record<string, number>>;
  readonly cwd: string;
}

/** Node warns when a program reads these without a flag. */
const storages = new Set(['localStorage', 'sessionStorage']);

function readProcess(): Process {
  const names = Object.getOwnPropertyNames(globalThis).filter((name) => !storages.has(name));
  const events = process.eventNames().map((name) => [String(name), process.listenerCount(name)] as const);
  return {
    globals: new Map(names.map((name) => [name, Reflect.get(globalThis, name) as unknown])),
    inherited: [Object, Array, Function, String, Promise].flatMap((each) => Reflect.ownKeys(each.prototype)),
    env: { ...process.env },
    listeners: Object.fromEntries(events.filter(([, count]) => count > 0)),
    cwd: process.cwd(),
  };
}

const before = readProcess();

/** Runs after the file's own hooks: `afterAll` hooks run in reverse order. */
afterAll(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
  const { globals: globalsBefore, ...stateBefore } = before;
  const { globals, ...state } = readProcess();
  // New globals are allowed: libraries store registries there.
  const replaced = [...globalsBefore].filter(([name, value]) => !Object.is(globals.get(name), value));
  expect(
    replaced.map(([name]) => name),
    'globals that this file replaced',
  ).toEqual([]);
  expect(state, 'state of the process that this file changed').toEqual(stateBefore);
});
