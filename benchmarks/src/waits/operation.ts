// Sends a request of the control API for each message, and sends its time to its parent process.
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';

/** A request of the control API. */
export interface Operation {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: string;
}

const [port] = process.argv.slice(2);

process.on('message', (operation: Operation) => void send(operation));
process.on('disconnect', () => process.exit());
// The first request loads the control API, which takes longer. The parent process waits for it.
await send({ method: 'GET', path: '/_sandbox/clock' });

async function send({ method, path, body }: Operation): Promise<void> {
  const start = performance.now();
  const sent = request({ port, method, path, headers: { 'content-type': 'application/json' } });
  sent.end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  if (response.statusCode !== 200)
    throw new Error(`${method} ${path} responded with ${response.statusCode}.`);
  response.resume();
  await once(response, 'end');
  process.send?.(performance.now() - start);
}
