import { useSignal } from '@preact/signals';
import { findSignatureHints } from '@service/internal';
import { createAsyncVerifier, WebhookError } from '@service/webhooks/edge';
import type { JSX } from 'preact';
import type { StoreProps } from '../state.ts';
import { Field, Form } from '../ui.tsx';

/** Checks a signature in the page and explains why it does not match. Nothing leaves the page. */
export function SignatureChecker({ store }: StoreProps): JSX.Element {
  const body = useSignal('');
  const signature = useSignal('');
  const secret = useSignal('');
  const lines = useSignal<readonly string[]>([]);
  const check = async (): Promise<void> => {
    const webhook = { body: body.value, signature: signature.value.trim(), secret: secret.value };
    const verifier = createAsyncVerifier({ secrets: webhook.secret });
    try {
      await verifier.verifyAsync(webhook.body, webhook.signature);
      lines.value = ['The signature is valid.'];
    } catch (error) {
      if (!(error instanceof WebhookError)) throw error;
      const hints = await findSignatureHints({ ...webhook, error });
      lines.value = [`The request is rejected: ${error.code}.`, ...hints.map(({ message }) => message)];
    }
  };
  return (
    <details class="panel">
      <summary>Check a signature</summary>
      <Form store={store} button="Check" run={check}>
        <Field label="Raw body" required rows={4} value={body} />
        <Field label="Signature header" required value={signature} />
        <Field label="Signing secret" required type="password" value={secret} />
      </Form>
      <div role="status">
        {lines.value.map((line) => (
          <p key={line}>{line}</p>
        ))}
      </div>
    </details>
  );
}
