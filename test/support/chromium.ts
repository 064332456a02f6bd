import { existsSync } from 'node:fs';
import { chromium } from 'playwright';

/** Returns the path of Chromium: CHROMIUM_PATH, the system's, Playwright's, or on Linux x64 that of npm. */
export async function findChromium(): Promise<string | undefined> {
  const known = [
    process.env.CHROMIUM_PATH,
    '/usr/bin/chromium',
    '/usr/bin/chromium-browser',
    '/usr/bin/google-chrome',
    chromium.executablePath(),
  ];
  const installed = known.find((path) => path !== undefined && existsSync(path));
  if (installed !== undefined) return installed;
  if (process.platform !== 'linux' || process.arch !== 'x64') return undefined;
  // The package unpacks its NSS libraries only with this variable.
  if (!existsSync('/usr/lib/x86_64-linux-gnu/libnss3.so')) process.env.AWS_LAMBDA_JS_RUNTIME ??= 'nodejs24.x';
  return (await import('@sparticuz/chromium')).default.executablePath();
}
