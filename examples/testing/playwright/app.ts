import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Serves the page under test. In your project, use your development server. */
export async function serveApp(): Promise<{ url: string; close: () => void }> {
  const page = readFileSync(new URL('app.html', import.meta.url));
  const server = createServer((_, response) => void response.end(page));
  await new Promise<void>((listening) => void server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: () => server.close() };
}
