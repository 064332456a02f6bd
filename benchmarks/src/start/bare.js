import { createServer } from 'node:http';

const server = createServer((request, response) => {
  response.writeHead(200, { 'Content-Type': 'application/json' }).end('{"success":true}');
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`url: http://127.0.0.1:${server.address().port}\ntestKey: none\n`);
});
