// Sends one request of the control API in a child process, and sends its time to its parent process.
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';

/** A request of the control API. */
export interface Operation {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: string;
}

const [port, text = ''] = process.argv.slice(2);
const { method, path, body } = JSON.parse(text) as Operation;
const start = performance.now();
const sent = request({ port, method, path, headers: { 'content-type': 'application/json' } });
sent.end(body);
const [response] = (await once(sent, 'response')) as [IncomingMessage];
if (response.statusCode !== 200) throw new Error(`${method} ${path} responded with ${response.statusCode}.`);
response.resume();
await once(response, 'end');
process.send?.(performance.now() - start);
