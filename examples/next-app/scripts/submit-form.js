// Pays an invoice as a browser does: `node scripts/submit-form.js URL INVOICE AMOUNT` is the trigger of `service-cli chaos`.

/** Submits the form as a browser without JavaScript does. */
export async function submitForm(url, fields) {
  const page = await (await fetch(url)).text();
  const form = new FormData();
  for (const [, name, value] of page.matchAll(/<input type="hidden" name="([^"]+)"(?: value="([^"]*)")?/g))
    form.set(name, value ?? '');
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  return fetch(url, {
    method: 'POST',
    headers: { origin: new URL(url).origin },
    body: form,
    redirect: 'manual',
  });
}

const [, script = '', url, invoice, amount] = process.argv;
if (script.endsWith('submit-form.js')) {
  const { status } = await submitForm(url, { supplier: 'Acme Supplies Ltd', amount, invoice });
  if (status !== 303) process.exitCode = 1;
}
