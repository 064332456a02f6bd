import { existsSync } from 'node:fs';

/** Finds a Chromium: the one named in CHROMIUM_PATH, the system's, else the one that npm brought; on other platforms Playwright's own. */
export async function findChromium(): Promise<string | undefined> {
  const known = [
    process.env.CHROMIUM_PATH,
    '/usr/bin/chromium',
    '/usr/bin/chromium-browser',
    '/usr/bin/google-chrome',
  ];
  const installed = known.find((path) => path !== undefined && existsSync(path));
  if (installed !== undefined) return installed;
  if (process.platform !== 'linux' || process.arch !== 'x64') return undefined;
  // Makes the package unpack the NSS libraries that it ships where the system has none.
  if (!existsSync('/usr/lib/x86_64-linux-gnu/libnss3.so')) process.env.AWS_LAMBDA_JS_RUNTIME ??= 'nodejs24.x';
  return (await import('@sparticuz/chromium')).default.executablePath();
}
