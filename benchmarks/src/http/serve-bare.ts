// Serves the least that could be called the same service: parses the body of a POST and answers bytes it was given.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { reportTo } from './child.ts';
import type { Reply } from './connection.ts';

const replies = JSON.parse(process.argv[2] ?? '{}') as Record<string, Reply>;

const server = createServer((request, response) => {
  if (request.method === 'GET') answer(response, 'GET');
  else readText(request, (text) => answer(response, JSON.parse(text) === null ? 'GET' : 'POST'));
});
server.listen(0, '127.0.0.1', () => {
  reportTo({ port: (server.address() as AddressInfo).port, headers: {} });
});

function answer(response: ServerResponse, method: string): void {
  const reply = replies[method];
  if (reply === undefined) throw new Error(`no reply to ${method}`);
  response.writeHead(reply.status, reply.headers).end(reply.body);
}

function readText(request: IncomingMessage, take: (text: string) => void): void {
  let text = '';
  request.setEncoding('utf8');
  request.on('data', (part: string) => (text += part));
  request.on('end', () => take(text));
}
