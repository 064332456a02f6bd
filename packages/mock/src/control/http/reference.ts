import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';

/** The parts of the API reference that are not in this package. */
export interface Reference {
  /** Reads the script of Scalar. Undefined if it is not installed. */
  readonly script: (() => Promise<string>) | undefined;
  /** The OpenAPI document of the service. */
  readonly document: object;
}

/** Finds Scalar in the project that the mock was started in: it is optional, and far larger than the mock. */
export async function findReference(): Promise<Reference> {
  const { default: document } = await import('@service/contract/openapi.json', { with: { type: 'json' } });
  const path = findScript();
  return { script: path === undefined ? undefined : () => readFile(path, 'utf8'), document };
}

function findScript(): string | undefined {
  try {
    // The package exports its style sheet, but not the script beside it.
    const { resolve } = createRequire(join(process.cwd(), 'package.json'));
    return join(resolve('@scalar/api-reference/style.css'), '../browser/standalone.js');
  } catch {
    return undefined;
  }
}
