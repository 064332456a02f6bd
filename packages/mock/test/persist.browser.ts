import { afterEach, describe, expect, it } from 'vitest';
import { createMock, SandboxError } from '@service/mock';
import { createCaller, order } from './support.ts';

describe('the option persist', () => {
  afterEach(() => sessionStorage.clear());

  const options = { persist: 'sessionStorage', clock: 'manual' } as const;

  it('survives a reload of the page, including its last changes', async () => {
    const before = createMock(options);
    const { body } = await createCaller(before).post('/payments', order());
    globalThis.dispatchEvent(new Event('pagehide'));
    await before.close();
    const after = createMock(options);
    expect(after.account).toEqual(before.account);
    expect((await createCaller(after).get(`/payments/${String(body.data.id)}`)).body).toEqual(body);
    expect(await after.sandbox.stateHash()).toBe(await before.sandbox.stateHash());
    await after.close();
  });

  it('separates two mocks of a page', async () => {
    const mocks = [1, 2].map((port) =>
      createMock({ ...options, baseUrl: `http://localhost:${port}/api/v1` }),
    );
    globalThis.dispatchEvent(new Event('pagehide'));
    expect(sessionStorage.length).toBe(2);
    await Promise.all(mocks.map((mock) => mock.close()));
  });

  it('saves nothing after close', async () => {
    const mock = createMock(options);
    await mock.close();
    sessionStorage.clear();
    globalThis.dispatchEvent(new Event('pagehide'));
    expect(sessionStorage.length).toBe(0);
  });

  it('rejects damaged data and names the item to remove', () => {
    sessionStorage.setItem('service-sandbox http://localhost:4010/api/v1', '{');
    expect(() => createMock(options)).toThrow(SandboxError);
    expect(() => createMock(options)).toThrow(
      'the sessionStorage item "service-sandbox http://localhost:4010/api/v1" cannot be restored. Remove it',
    );
  });

  it('reports a state that exceeds the storage quota', async () => {
    const defects: unknown[] = [];
    const mock = createMock({ ...options, onDefect: (error) => defects.push(error) });
    fillSession();
    await createCaller(mock).post('/payments', order({ purpose: 'x'.repeat(255) }));
    globalThis.dispatchEvent(new Event('pagehide'));
    // Once by the `pagehide` event, and once more if a timer saved before.
    expect(new Set(defects.map((error) => (error as Error).name))).toEqual(new Set(['QuotaExceededError']));
    await mock.close();
  });
});

/** Fills the storage to its last character. */
function fillSession(): void {
  for (let size = 2 ** 24; size >= 1; size /= 2) {
    try {
      sessionStorage.setItem(`filler ${size}`, 'x'.repeat(size));
    } catch {
      // Larger than the remaining quota.
    }
  }
}
