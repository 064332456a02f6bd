// Fails if an import adds more to a bundle than its limit: pages and workers load them.
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

/** The limits in kB, minified and gzipped (docs/decisions/0019-seed-files.md, 0024-client-size-and-call-time.md, 0035-verifier-size-and-speed.md). */
const limits: Readonly<Record<string, number>> = {
  "{ createClient } from '@service/sdk'": 24.5,
  "{ createApi } from '@service/sdk/api'; export { createClient } from '@service/sdk'": 27.1,
  "{ isValidSignature, sign } from '@service/webhooks'": 1,
  "{ verifyEvent } from '@service/webhooks'": 3.4,
  "{ createVerifier } from '@service/webhooks'": 3.4,
  "{ toExpress } from '@service/webhooks/express'": 0.7,
  "{ toFastify } from '@service/webhooks/fastify'": 0.7,
  "{ toHono } from '@service/webhooks/hono'": 0.4,
  "{ toAppRouter } from '@service/webhooks/next'": 0.3,
  "{ toPagesRouter } from '@service/webhooks/next'": 0.7,
  "{ toLambda } from '@service/webhooks/lambda'": 0.5,
  "{ toNode } from '@service/webhooks/node'": 0.7,
  "{ createMock } from '@service/mock'": 46,
};

for (const [code, limit] of Object.entries(limits)) {
  const { outputFiles } = await build({
    stdin: { contents: `export ${code};`, resolveDir: import.meta.dirname },
    bundle: true,
    minify: true,
    platform: code.includes('webhooks') ? 'node' : 'browser',
    format: 'esm',
    target: 'es2022',
    logLevel: 'error',
    write: false,
  });
  const size = gzipSync(outputFiles[0]?.contents ?? new Uint8Array(), { level: 9 }).byteLength / 1_000;
  console.log(`${code}: ${size.toFixed(2)} kB of at most ${limit} kB`);
  if (size > limit) process.exitCode = 1;
}
