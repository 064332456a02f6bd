import type { Socket } from 'node:net';
import { listen, type SocketServer } from '../../packages/sdk/test/socket-server.ts';

/** A server on raw sockets, independent of the mock, that records complete requests and responds with faults. */
export interface FaultServer extends AsyncDisposable {
  readonly baseUrl: string;
  /** Returns the request lines, in order. */
  readonly readLines: () => string[];
}

/** Responds to a request. `good` is the body of a correct response. */
export type FaultyResponder = (socket: Socket, good: string) => unknown;

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

const readLine = (request: string): string => request.split('\r\n')[0] ?? '';

export async function startFaultServer(respond: FaultyResponder): Promise<FaultServer> {
  const server: SocketServer = await listen((socket) => {
    const line = readLine(server.requests.at(-1) ?? '');
    const data = responseData.find(([pattern]) => pattern.test(line))?.[1];
    respond(socket, JSON.stringify({ success: true, mode: 'test', data }));
  });
  return { ...server, readLines: () => server.requests.map(readLine) };
}
