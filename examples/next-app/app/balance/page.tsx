import { connection } from 'next/server';
import { Suspense } from 'react';
import { getClient } from '../../lib/service';

async function Wallets() {
  await connection(); // waits for a request: a build renders this page too, and has no key
  const { balances } = await getClient().balance.retrieve();
  return (
    <ul>
      {balances.map(({ currency, balance }) => (
        <li key={currency}>
          {currency} {balance}
        </li>
      ))}
    </ul>
  );
}

export default function Page() {
  return (
    <Suspense fallback="Loading">
      <Wallets />
    </Suspense>
  );
}
