import { type AddressInfo, createServer, type Socket } from 'node:net';

/** A server on raw sockets, independent of the mock, that records complete requests and responds with faults. */
export interface FaultServer {
  readonly baseUrl: string;
  /** The request lines, in order. */
  readonly lines: string[];
  [Symbol.asyncDispose](): Promise<void>;
}

/** Responds to a request. `good` is the body of a correct response. */
export type FaultyResponder = (socket: Socket, good: string, server: FaultServer) => unknown;

const id = 'pay_test_0000014Kq8ZxWb2TnVd7Rm3s';
const payment = {
  id,
  status: 'pending',
  from_currency: 'USD',
  to_currency: 'EUR',
  send_amount: 100,
  rate: 0.9213,
  receive_amount: 91.67,
  beneficiary: { name: 'Acme Ltd', bank: null, account: null, country: null },
  purpose: 'INV-42',
  created_at: '2026-01-31T12:00:00+00:00',
};
const quote = { send_amount: 100, fee: 0.5, rate: 0.9213, receive_amount: 91.67 };
const pagination = { current_page: 1, per_page: 20, total: 0, total_pages: 0, has_more: false };
const responseData: [RegExp, unknown][] = [
  [/^POST \/api\/v1\/quotes /, quote],
  [/^POST \/api\/v1\/payments /, payment],
  [/^GET \/api\/v1\/payments\//, payment],
  [/^GET \/api\/v1\/balance /, { balances: [] }],
  [/^GET \/api\/v1\/transactions/, { transactions: [], pagination }],
];

export const paymentId: string = id;

export async function startFaultServer(respond: FaultyResponder): Promise<FaultServer> {
  const sockets = new Set<Socket>();
  const lines: string[] = [];
  const server = createServer((socket) => {
    sockets.add(socket);
    let received = '';
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
      const [head = '', body] = received.split('\r\n\r\n');
      if (body === undefined) return;
      if (body.length < Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0)) return;
      const [line = ''] = head.split('\r\n');
      received = '';
      lines.push(line);
      const data = responseData.find(([pattern]) => pattern.test(line))?.[1];
      respond(socket, JSON.stringify({ success: true, mode: 'test', data }), self);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const self: FaultServer = {
    baseUrl: `http://127.0.0.1:${port}/api/v1`,
    lines,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return self;
}

/** Returns the bytes of a complete response with `Connection: close`. */
export function toBytes(status: string, body: string, headers: readonly string[] = []): string {
  const length = `Content-Length: ${Buffer.byteLength(body)}`;
  return [`HTTP/1.1 ${status}`, length, 'Connection: close', ...headers, '', body].join('\r\n');
}
