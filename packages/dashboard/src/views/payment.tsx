import type { JSX } from 'preact';
import { callApi } from '../api.ts';
import { formatMoney, formatTime, toWords } from '../format.ts';
import { toHref } from '../router.ts';
import type { Store } from '../state.ts';
import type { PaymentAction, PaymentDetail } from '../types.ts';
import { Code, CopyButton, Empty, Facts, Panel, Status, useApi } from '../ui.tsx';
import { Attempts } from './delivery.tsx';
import { Entries } from './ledger.tsx';

const labels: Readonly<Record<PaymentAction, string>> = {
  advance: 'Advance',
  complete: 'Complete',
  fail: 'Fail',
  return: 'Return',
};

/** A payment with its timeline, ledger entries, events and deliveries, and the transitions that it allows. */
export function PaymentDetailView({
  store,
  id,
}: {
  readonly store: Store;
  readonly id: string;
}): JSX.Element {
  const path = `/payments/${encodeURIComponent(id)}`;
  const { body: payment, error } = useApi<PaymentDetail>(store, path);
  if (error !== undefined) return <Empty>{error}</Empty>;
  if (payment === undefined) return <Empty>Loading…</Empty>;
  const run = (action: PaymentAction): void => void store.act(() => callApi('POST', `${path}/${action}`));
  return (
    <article class="detail" aria-label={`Payment ${id}`}>
      <div class="detail-head">
        <h2>{formatMoney(payment.send_amount, payment.from_currency)}</h2>
        <Status value={payment.status} />
        <a class="close" href={toHref('payments')}>
          Close
        </a>
      </div>
      <p class="actions" role="group" aria-label="Transitions">
        {(store.report === undefined ? payment.actions : []).map((action) => (
          <button key={action} onClick={() => run(action)}>
            {labels[action]}
          </button>
        ))}
        <CopyButton store={store} text={payment.id}>
          Copy id
        </CopyButton>
      </p>
      <PaymentFacts payment={payment} />
      <Timeline payment={payment} />
      <Panel title="Money">
        <Entries entries={payment.entries} />
      </Panel>
      <Panel title="Events">
        {payment.events.map(({ event, body }) => (
          <details key={event}>
            <summary>{event}</summary>
            <Code label={`Body of ${event}`} text={body} />
          </details>
        ))}
        <Attempts deliveries={payment.deliveries} />
      </Panel>
      <Panel title="As the service shows it">
        <Code label="Payment" text={JSON.stringify(payment.payment)} />
      </Panel>
    </article>
  );
}

function PaymentFacts({ payment }: { readonly payment: PaymentDetail }): JSX.Element {
  return (
    <Facts
      facts={[
        ['Id', payment.id],
        ['Receives', formatMoney(payment.receive_amount, payment.to_currency)],
        ['Rate', String(payment.payment.rate)],
        ['Fee', formatMoney(payment.fee, payment.from_currency)],
        ['Beneficiary', payment.beneficiary],
        ['Purpose', payment.purpose ?? 'none'],
        ['Mode', payment.mode],
      ]}
    />
  );
}

function Timeline({ payment: { timeline, next } }: { readonly payment: PaymentDetail }): JSX.Element {
  return (
    <ol class="timeline" aria-label="Timeline">
      {timeline.map(({ status, at }) => (
        <li key={status}>
          <Status value={status} />
          <time dateTime={at}>{formatTime(at)}</time>
        </li>
      ))}
      {next !== null && (
        <li class="planned">
          <span class="badge plain">{toWords(next.transition)}</span>
          <time dateTime={next.at}>due {formatTime(next.at)}</time>
        </li>
      )}
    </ol>
  );
}
