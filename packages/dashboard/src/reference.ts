/** The part of the global of Scalar that the page uses. */
interface ScalarGlobal {
  readonly createApiReference: (selector: string, configuration: object) => unknown;
}

declare const Scalar: ScalarGlobal;

async function readDocument(path: string): Promise<object | undefined> {
  const response = await fetch(path);
  return response.ok ? ((await response.json()) as object) : undefined;
}

/** Options without which the page would ask other origins, or offer to send requests to them. */
const offline = {
  withDefaultFonts: false,
  telemetry: false,
  showDeveloperTools: 'never',
  hideClientButton: true,
  agent: { disabled: true },
  mcp: { disabled: true },
};

async function showReference(): Promise<void> {
  const [payments, control] = await Promise.all([
    readDocument('/_sandbox/docs/payments.json'),
    readDocument('/_sandbox/openapi.json'),
  ]);
  const root = document.querySelector('#app');
  if (control === undefined && root !== null) {
    root.innerHTML =
      '<p>This sandbox needs its token. <a href="/">Log in</a> on the dashboard, then reload this page.</p>';
    return;
  }
  Scalar.createApiReference('#app', {
    ...offline,
    sources: [
      { title: 'Payments API', slug: 'payments', content: withServer(payments, '/api/v1') },
      { title: 'Control API', slug: 'control', content: withServer(control, '/_sandbox') },
    ],
  });
}

/** Replaces the servers of a document by this mock, so that requests of the page go there. */
function withServer(document: object | undefined, path: string): object {
  return { ...document, servers: [{ url: location.origin + path, description: 'This mock' }] };
}

await showReference();
