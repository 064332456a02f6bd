import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Creates the temporary folder of a test run, and removes it at the end with the files that killed processes left in it. */
export function setup(): (() => void) | undefined {
  // A folder of this run, for the setup of its second project.
  if (tmpdir().includes('service-tests-')) return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'service-tests-'));
  // Servers that refuse to run as root run as another user.
  chmodSync(folder, 0o711);
  process.env.TMPDIR = folder;
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
}
