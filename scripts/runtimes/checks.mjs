// Checks of a runtime: a create, a second create whose connection is reset, refused connections, and signed webhooks.
import { createClient, PaymentOutcomeUnknownError, rawAmount } from '@service/sdk';
import { createReceiver, createVerifier, isValidSignature, sign } from '@service/webhooks/edge';

const order = {
  from_currency: 'USD',
  to_currency: 'EUR',
  amount: '100.00',
  beneficiary_name: 'José 株式会社',
};

/**
 * Creates two payments, the second with the purpose `reset`.
 *
 * @throws {Error} when the client has another result
 */
export async function checkClient(baseUrl) {
  const options = { apiKey: 'service_test_4f9c1d2e3b', baseUrl };
  const service = createClient(options);
  const payment = await service.payments.create(order);
  if (rawAmount(payment, 'send_amount') !== '100.00') throw new Error('rawAmount does not return the text.');
  const error = await service.payments.create({ ...order, purpose: 'reset' }).catch((caught) => caught);
  if (!(error instanceof PaymentOutcomeUnknownError)) throw new Error(`The reset gave ${error.name}.`);
  const unreachable = createClient({ ...options, baseUrl: 'http://127.0.0.1:2/api/v1', maxRetries: 0 });
  const refused = await unreachable.payments.create(order).catch((caught) => caught);
  console.log(`  refused connection: ${refused.outcome}`);
  const live = { ...options, apiKey: 'service_live_4f9c1d2e3b', baseUrl: 'https://127.0.0.1:2/api/v1' };
  const liveError = await createClient({ ...live, maxRetries: 0 })
    .balance.retrieve()
    .catch((caught) => caught);
  if (liveError.name !== 'ConnectionError') throw new Error(`A live key on a server gave ${liveError.name}.`);
}

/**
 * Signs and receives an event.
 *
 * @throws {Error} when a valid event is rejected or an invalid one is accepted
 */
export async function checkWebhooks() {
  const secret = 'a signing secret';
  const body = JSON.stringify({
    event: 'payment.completed',
    created_at: '2026-01-31T12:00:00+00:00',
    data: {
      id: 'pay_test_0000014Kq8ZxWb2TnVd7Rm3s',
      status: 'completed',
      from_currency: 'USD',
      to_currency: 'EUR',
      send_amount: 100,
      receive_amount: 91.67,
      mode: 'test',
    },
  });
  const signature = await sign(body, secret);
  if (!(await isValidSignature(body, signature, secret))) throw new Error('A valid signature was rejected.');
  if (await isValidSignature(`${body} `, signature, secret)) throw new Error('A changed body was accepted.');
  const event = await createVerifier({ secrets: secret }).verify(new TextEncoder().encode(body), signature);
  if (event.event !== 'payment.completed') throw new Error('The verified event has another type.');
  const handled = [];
  const on = { 'payment.completed': ({ data }) => handled.push(data.id) };
  const receive = createReceiver({ secrets: secret, on, fallback: () => {} });
  const send = async (text) => {
    const headers = { 'x-service-signature': signature };
    return (await receive(new Request('http://localhost/webhooks', { method: 'POST', headers, body: text })))
      .status;
  };
  const statuses = [await send(body), await send(body), await send(`${body} `)];
  if (statuses.join() !== '200,200,401' || handled.length !== 1) {
    throw new Error(`The receiver responded with ${statuses.join()} and handled ${handled.length} events.`);
  }
}
