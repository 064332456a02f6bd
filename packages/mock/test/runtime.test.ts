import { describe, expect, it, onTestFinished } from 'vitest';
import { createMock } from '../src/index.ts';

describe('createMock', () => {
  it('throws on an unsupported runtime', () => {
    const kept = Object.getOwnPropertyDescriptor(process, 'getBuiltinModule');
    onTestFinished(() => void Object.defineProperty(process, 'getBuiltinModule', kept ?? {}));
    Reflect.deleteProperty(process, 'getBuiltinModule');
    expect(() => createMock()).toThrow(/needs Node 20\.16 or later, not \d+\.\d+\.\d+\./);
  });

  it('treats an undefined option as absent', async () => {
    const names = 'clock start seed profile accounts baseUrl cors requestLog'.split(' ');
    for (const name of names) await createMock({ [name]: undefined }).close();
    expect(names).toHaveLength(8);
  });
});
