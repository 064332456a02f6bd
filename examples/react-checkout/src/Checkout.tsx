import { useEffect, useState } from 'react';
import { createPayment, createQuote, findPayment } from './service.ts';

const order = { from_currency: 'USD', to_currency: 'EUR', amount: 1000 };

export function Checkout({ pollInterval = 1_000 }: { readonly pollInterval?: number }) {
  const [quote, setQuote] = useState('');
  const [status, setStatus] = useState('');
  const [paymentId, setPaymentId] = useState<string>();
  const showError = (error: Error) => setStatus(error.message);

  useEffect(() => {
    createQuote(order).then(
      ({ receive_amount }) => setQuote(`${order.amount} USD = ${receive_amount} EUR`),
      showError,
    );
  }, []);

  useEffect(() => {
    if (paymentId === undefined || status === 'completed' || status === 'failed') return undefined;
    const timer = setInterval(
      () => void findPayment(paymentId).then((payment) => setStatus(payment.status), showError),
      pollInterval,
    );
    return () => clearInterval(timer);
  }, [paymentId, status, pollInterval]);

  async function pay() {
    setStatus('sending');
    const payment = await createPayment(order, 'Acme Supplies Ltd');
    setPaymentId(payment.id);
    setStatus(payment.status);
  }

  return (
    <main>
      <h1>Pay a supplier</h1>
      <p data-testid="quote">{quote}</p>
      <button disabled={status !== ''} onClick={() => void pay().catch(showError)}>
        Pay
      </button>
      <p role="status">{status}</p>
    </main>
  );
}
