import operations, { type ApiOperation } from 'virtual:operations';
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { ViewProps } from '../app.tsx';
import { callApi } from '../api.ts';
import { toHref } from '../router.ts';
import type { StoreProps } from '../state.ts';
import type { AccountView } from '../types.ts';
import { Code, Facts, Field, Form, Panel, Status } from '../ui.tsx';

/** The operations of the payments API from its document, and a form that sends requests to this mock. */
export function ApiView({ store, id }: ViewProps): JSX.Element {
  const shown = operations.find(({ operationId }) => operationId === id) ?? operations[0];
  return (
    <div class="columns reference">
      <ul class="plain" aria-label="Operations">
        {operations.map(({ operationId, method, path, summary }) => (
          <li key={operationId}>
            <a
              class="card"
              href={toHref('api', operationId)}
              aria-current={operationId === shown?.operationId ? 'true' : undefined}
            >
              <span>
                <b>{method}</b> {path}
              </span>
              <span class="muted">{summary}</span>
            </a>
          </li>
        ))}
      </ul>
      {shown && <Operation key={shown.operationId} store={store} operation={shown} />}
    </div>
  );
}

interface OperationProps extends StoreProps {
  readonly operation: ApiOperation;
}

function Operation({ store, operation }: OperationProps): JSX.Element {
  const { method, path, summary, description, parameters, response, responses } = operation;
  return (
    <article class="detail" aria-label={summary}>
      <h2>{`${method} ${path}`}</h2>
      <p>{description}</p>
      {parameters.length > 0 && (
        <Panel title="Parameters">
          <Facts facts={Object.fromEntries(parameters.map((each) => [each.name, each.description]))} />
        </Panel>
      )}
      <TryIt store={store} operation={operation} />
      <Panel title="Example of a response">
        <Code label="Example of a response" text={response} />
      </Panel>
      <Panel title="Responses">
        <Facts facts={responses} />
      </Panel>
    </article>
  );
}

/** A form that sends a request of an operation to this mock and shows the response. */
function TryIt({ store, operation }: OperationProps): JSX.Element {
  const { method, path, parameters, body: example } = operation;
  const [newest] = store.payments.value;
  const target = useSignal(path.replace('{payment_id}', newest?.id ?? 'pay_test_…'));
  const body = useSignal(example ?? '');
  const key = useSignal('');
  const answer = useSignal<readonly [status: number | string, text: string]>();
  const send = async (): Promise<void> => {
    const { account, mode } = store.scope.value;
    const { testKey, liveKey } = await callApi<AccountView>('GET', `/accounts/${account}`);
    const headers = {
      Authorization: `Bearer ${mode === 'test' ? testKey : liveKey}`,
      ...(example !== undefined && { 'Content-Type': 'application/json' }),
      ...(key.value !== '' && { 'Idempotency-Key': key.value }),
    };
    const init = { method, headers, ...(example !== undefined && { body: body.value }) };
    const request = new Request(`/api/v1${target.value}`, init);
    answer.value = await fetch(request).then(
      async (response) => [response.status, await response.text()],
      () => ['connection_lost', 'The connection was lost before a response.'],
    );
  };
  return (
    <Panel title="Try it" aside={<span class="muted">with the {store.mode.value} key of the account</span>}>
      <Form store={store} button="Send" run={send}>
        <Field label="Path" required value={target} />
        {parameters.some(({ name }) => name === 'Idempotency-Key') && (
          <Field label="Idempotency-Key" placeholder="none" value={key} />
        )}
        {example !== undefined && <Field label="Body" rows={example.split('\n').length} value={body} />}
      </Form>
      {answer.value !== undefined && (
        <div class="stack" role="status">
          <Status value={answer.value[0]} />
          <Code label="Response" text={answer.value[1]} />
        </div>
      )}
    </Panel>
  );
}
