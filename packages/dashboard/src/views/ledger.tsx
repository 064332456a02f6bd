import type { JSX } from 'preact';
import { formatMoney, formatTime, toWords } from '../format.ts';
import type { EntryView } from '../types.ts';

/** Ledger entries with their postings. The postings of an entry add up to 0. */
export function Entries({ entries }: { readonly entries: readonly EntryView[] }): JSX.Element {
  if (entries.length === 0) return <p class="muted">No ledger entry.</p>;
  return (
    <table class="ledger">
      <caption>Ledger entries</caption>
      <thead>
        <tr>
          <th>Entry</th>
          <th>Ledger account</th>
          <th class="number">Amount</th>
        </tr>
      </thead>
      {entries.map(({ kind, at, postings }, index) => (
        <tbody key={index}>
          {postings.map(({ account, currency, amount }, place) => (
            <tr key={place}>
              {place === 0 && (
                <th rowSpan={postings.length} scope="rowgroup">
                  {kind}
                  <span class="muted">{formatTime(at)}</span>
                </th>
              )}
              <td>{toWords(account)}</td>
              <td class="number">{formatMoney(amount, currency, true)}</td>
            </tr>
          ))}
        </tbody>
      ))}
    </table>
  );
}
