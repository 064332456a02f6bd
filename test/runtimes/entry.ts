// Runs the cases and reports them to their server: on a command line with the origin and the name of the runtime, in a page, and in
// workerd, which calls `test` with its bindings.
import { runCases, type RuntimeName } from './case.ts';
import { casesOn } from './not-on.ts';

/** What a runtime reports. */
export interface Report {
  /** The version that the runtime states, where programs can read it. */
  readonly version: string | undefined;
  readonly results: Awaited<ReturnType<typeof runCases>>;
}

async function report(origin: string, runtime: RuntimeName): Promise<void> {
  const golden = await (await fetch(`${origin}/golden`)).text();
  const results = await runCases(casesOn(runtime), { origin, runtime, golden });
  const versions = globalThis.process?.versions;
  const version = versions?.['deno'] ?? versions?.['bun'] ?? versions?.node;
  const body = JSON.stringify({ version, results } satisfies Report);
  await fetch(`${origin}/report`, { method: 'POST', body });
}

const [origin, runtime] = globalThis.process?.argv?.slice(2) ?? [];
if ('document' in globalThis) await report(globalThis.location.origin, 'chromium');
else if (origin !== undefined) {
  await report(origin, runtime as RuntimeName);
  // Sockets of faults can be open.
  globalThis.process.exit();
}

// workerd needs a default export.
export default {
  test: (_controller: unknown, { ORIGIN }: { ORIGIN: string }): Promise<void> => report(ORIGIN, 'workerd'),
};
