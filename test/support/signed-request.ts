import { sign } from '@service/webhooks';

/** Returns the signed webhook request for a status of a payment. */
export function signedRequestOf(status: string, secret: string): Request {
  const body = JSON.stringify({
    event: `payment.${status}`,
    created_at: '2026-01-31T12:00:04+00:00',
    data: {
      id: 'pay_test_0000014Kq8ZxWb2TnVd7Rm3s',
      status,
      from_currency: 'USD',
      to_currency: 'EUR',
      send_amount: 1000,
      receive_amount: 916.69,
      mode: 'test',
    },
  });
  const headers = { 'content-type': 'application/json', 'x-service-signature': sign(body, secret) };
  return new Request('http://localhost/webhooks', { method: 'POST', headers, body });
}
