export const SECRET = '9f2c61d0a1b34e7788c05d6e4f3a2b1c9f2c61d0a1b34e7788c05d6e4f3a2b1c';

/** Creates an event body of about `size` bytes. */
export function writeBody(size: number, id = 'pay_test_4Zs81kQ0vYw2'): string {
  const event = {
    event: 'payment.completed',
    created_at: '2026-01-31T12:00:00+00:00',
    data: {
      id,
      status: 'completed',
      from_currency: 'USD',
      to_currency: 'EUR',
      send_amount: 1000.5,
      receive_amount: 916.69,
      mode: 'test',
      purpose: '',
    },
  };
  event.data.purpose = 'x'.repeat(Math.max(0, size - JSON.stringify(event).length));
  return JSON.stringify(event);
}
