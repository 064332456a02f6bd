import { describe, expect, it, onTestFinished } from 'vitest';
import { createMock } from '../src/index.ts';

describe('createMock', () => {
  it('throws on an unsupported runtime', () => {
    const kept = Object.getOwnPropertyDescriptor(Promise, 'withResolvers');
    onTestFinished(() => void Object.defineProperty(Promise, 'withResolvers', kept ?? {}));
    Reflect.deleteProperty(Promise, 'withResolvers');
    expect(() => createMock()).toThrow('needs Node 22.12 or later');
  });

  it('treats an undefined option as absent', async () => {
    const names = [
      'clock',
      'start',
      'seed',
      'profile',
      'accounts',
      'baseUrl',
      'cors',
      'persist',
      'requestLog',
    ] as const;
    for (const name of names) await createMock({ [name]: undefined }).close();
    expect(names).toHaveLength(9);
  });
});
