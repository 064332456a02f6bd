import { useSignal } from '@preact/signals';
import { explain } from '@service/webhooks/testing';
import type { JSX } from 'preact';

/** Checks a signature in the page and explains why it does not match. Nothing leaves the page. */
export function SignatureChecker(): JSX.Element {
  const body = useSignal('');
  const signature = useSignal('');
  const secret = useSignal('');
  const lines = useSignal<readonly string[]>([]);
  const check = async (event: Event): Promise<void> => {
    event.preventDefault();
    try {
      const { result, hints } = await explain(body.value, signature.value.trim(), { secrets: secret.value });
      const found = hints.map(({ message }) => message);
      lines.value = result.ok
        ? ['The signature is valid.']
        : [`The request is rejected: ${result.code}.`, ...found];
    } catch (error) {
      lines.value = [(error as Error).message];
    }
  };
  return (
    <details class="panel">
      <summary>Check a signature</summary>
      <form class="stack" onSubmit={(event) => void check(event)}>
        <label>
          Raw body
          <textarea
            required
            rows={4}
            value={body}
            onInput={(event) => (body.value = event.currentTarget.value)}
          />
        </label>
        <label>
          Signature header
          <input
            required
            value={signature}
            onInput={(event) => (signature.value = event.currentTarget.value)}
          />
        </label>
        <label>
          Signing secret
          <input
            required
            type="password"
            autocomplete="off"
            value={secret}
            onInput={(event) => (secret.value = event.currentTarget.value)}
          />
        </label>
        <button>Check</button>
        <div role="status">
          {lines.value.map((line) => (
            <p key={line}>{line}</p>
          ))}
        </div>
      </form>
    </details>
  );
}
