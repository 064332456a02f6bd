// What each runtime has to do: a create that goes well, then one on the same connection that is reset, and what it says; and
// events that are verified.
import { createClient, exact, isPaymentOutcomeUnknownError } from '@service/sdk';
import { createQuotes } from '@service/sdk/quotes';
import { createReceiver, createVerifier, isValidSignature, sign } from '@service/webhooks/edge';

const order = {
  from_currency: 'USD',
  to_currency: 'EUR',
  amount: '100.00',
  beneficiary_name: 'José 株式会社',
};

/** Pays twice at an address, the second time for the purpose `reset`; throws where the client does not do as it should. */
export async function checkClient(baseUrl) {
  const options = { apiKey: 'service_test_4f9c1d2e3b', baseUrl };
  const service = createClient(options);
  const payment = await service.payments.create(order);
  if (exact(payment, 'send_amount') !== '100.00') throw new Error('the text of the amount is lost');
  if (typeof createQuotes(options).create !== 'function') throw new Error('the subpath is empty');
  const error = await service.payments.create({ ...order, purpose: 'reset' }).catch((caught) => caught);
  if (!isPaymentOutcomeUnknownError(error)) throw new Error(`the reset was told as ${error.name}`);
  const nobody = createClient({ ...options, baseUrl: 'http://127.0.0.1:2/api/v1', maxRetries: 0 });
  const gone = await nobody.payments.create(order).catch((caught) => caught);
  console.log(`  a port where nobody listens: ${gone.outcome}`);
  const live = { ...options, apiKey: 'service_live_4f9c1d2e3b', baseUrl: 'https://127.0.0.1:2/api/v1' };
  const refused = await createClient({ ...live, maxRetries: 0 })
    .balance.retrieve()
    .catch((caught) => caught);
  if (refused.name !== 'ConnectionError')
    throw new Error(`a live key on a server was told as ${refused.name}`);
}

/** Signs and receives an event; throws where a genuine one is refused or another one taken. */
export async function checkWebhooks() {
  const secret = 'a secret of the runtimes';
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
  if (!(await isValidSignature(body, signature, secret))) throw new Error('a genuine signature is refused');
  if (await isValidSignature(`${body} `, signature, secret)) throw new Error('a changed body is taken');
  const event = await createVerifier({ secrets: secret }).verify(new TextEncoder().encode(body), signature);
  if (event.event !== 'payment.completed') throw new Error('the event is another');
  const told = [];
  const on = { 'payment.completed': ({ data }) => told.push(data.id) };
  const receive = createReceiver({ secrets: secret, on, fallback: () => {} });
  const send = async (text) => {
    const headers = { 'x-service-signature': signature };
    return (await receive(new Request('http://localhost/webhooks', { method: 'POST', headers, body: text })))
      .status;
  };
  const statuses = [await send(body), await send(body), await send(`${body} `)];
  if (statuses.join() !== '200,200,401' || told.length !== 1) {
    throw new Error(`the receiver answered ${statuses.join()} and handled ${told.length}`);
  }
}
