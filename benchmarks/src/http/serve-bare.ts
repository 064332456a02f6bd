// A minimal server for comparison: parses the body of a POST and responds with fixed bytes.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { reportTo } from './child.ts';
import type { WireResponse } from './connection.ts';

const responses = JSON.parse(process.argv[2] ?? '{}') as Record<string, WireResponse>;

const server = createServer((request, response) => {
  if (request.method === 'GET') respond(response, 'GET');
  else readText(request, (text) => respond(response, JSON.parse(text) === null ? 'GET' : 'POST'));
});
server.listen(0, '127.0.0.1', () => {
  reportTo({ port: (server.address() as AddressInfo).port, headers: {} });
});

function respond(response: ServerResponse, method: string): void {
  const stored = responses[method];
  if (stored === undefined) throw new Error(`There is no response for ${method}.`);
  response.writeHead(stored.status, stored.headers).end(stored.body);
}

function readText(request: IncomingMessage, onText: (text: string) => void): void {
  let text = '';
  request.setEncoding('utf8');
  request.on('data', (part: string) => (text += part));
  request.on('end', () => onText(text));
}
