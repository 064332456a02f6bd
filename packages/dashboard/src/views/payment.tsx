import type { JSX } from 'preact';
import { callApi } from '../api.ts';
import { formatMoney, formatTime, toWords } from '../format.ts';
import type { PaymentDetail } from '../types.ts';
import { Action, Code, CopyButton, Detail, type DetailViewProps, Facts, Panel, Status } from '../ui.tsx';
import { Deliveries } from './delivery.tsx';
import { Entries } from './ledger.tsx';

/** A payment with its timeline, ledger entries, events and deliveries, and the transitions that it allows. */
export function PaymentDetailView({ store, id }: DetailViewProps): JSX.Element {
  const path = `/payments/${encodeURIComponent(id)}`;
  return (
    <Detail<PaymentDetail>
      store={store}
      view="payments"
      label={`Payment ${id}`}
      path={path}
      title={(payment) => formatMoney(payment.send_amount, payment.from_currency)}
      badge={(payment) => <Status value={payment.status} />}
    >
      {(payment) => (
        <>
          <p class="actions" role="group" aria-label="Transitions">
            {payment.actions.map((action) => (
              <Action key={action} store={store} run={() => callApi('POST', `${path}/${action}`)}>
                {action}
              </Action>
            ))}
            <CopyButton store={store} text={payment.id}>
              Copy id
            </CopyButton>
          </p>
          <Facts
            facts={{
              Beneficiary: payment.beneficiary,
              ...listAccount(payment.payment.beneficiary),
              Receives: formatMoney(payment.receive_amount, payment.to_currency),
              Rate: String(payment.payment.rate),
              Fee: formatMoney(payment.fee, payment.from_currency),
              Purpose: payment.purpose ?? 'none',
              Mode: payment.mode,
              Id: payment.id,
            }}
          />
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
            <Deliveries deliveries={payment.deliveries} />
          </Panel>
          <Panel title="As the service shows it">
            <Code label="Payment" text={JSON.stringify(payment.payment)} />
          </Panel>
        </>
      )}
    </Detail>
  );
}

/** The account of a beneficiary, as far as the payment has it. */
function listAccount(beneficiary: unknown): Record<string, string> {
  const { account, bank, country } = (beneficiary ?? {}) as Readonly<Record<string, string | null>>;
  return {
    ...(account && { Account: account }),
    ...(bank && { Bank: bank }),
    ...(country && { Country: country }),
  };
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
