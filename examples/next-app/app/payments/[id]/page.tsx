import { NotFoundError } from '@service/sdk';
import { notFound } from 'next/navigation';
import { getClient } from '../../../lib/service';

/** No page is rendered in a build. Each one is cached until a webhook invalidates it. */
export const dynamic = 'force-static';
export const generateStaticParams = () => [];

export default async function PaymentPage({ params }: { readonly params: Promise<{ id: string }> }) {
  const { id } = await params;
  const { status, send_amount } = await findPayment(id);
  return (
    <main>
      <h1>Payment {id}</h1>
      <p>
        {send_amount} USD: <strong>{status}</strong>
      </p>
    </main>
  );
}

function findPayment(id: string) {
  return getClient()
    .payments.retrieve(id)
    .catch((error: unknown) => (error instanceof NotFoundError ? notFound() : Promise.reject(error)));
}
