// Runs the checks in a runtime with a command line.
import { checkClient, checkWebhooks } from './checks.mjs';

const [baseUrl] = globalThis.Deno?.args ?? globalThis.process.argv.slice(2);
await checkClient(baseUrl);
await checkWebhooks();
