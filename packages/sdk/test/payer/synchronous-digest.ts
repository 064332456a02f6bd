import { createHash } from 'node:crypto';
import { onTestFinished, vi } from 'vitest';

/** Replaces the digest of Web Crypto for one test: it responds from another thread, in an order that no seed reproduces. */
export function useSynchronousDigest(): void {
  const digest = vi.spyOn(crypto.subtle, 'digest').mockImplementation(async (_, data) => {
    const bytes = createHash('sha256')
      .update(data as Uint8Array)
      .digest();
    return new Uint8Array(bytes).buffer;
  });
  onTestFinished(() => digest.mockRestore());
}
