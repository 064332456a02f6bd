import { spawn } from 'node:child_process';

const openers: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  darwin: ['open'],
  // `start` takes its first quoted argument as a title.
  win32: ['cmd', '/c', 'start', ''],
};

/** Opens a page in the program of the variable BROWSER, or in the browser of the system. Resolves when it has started. */
export function openPage(url: string, browser: string | undefined): Promise<void> {
  const [command = 'xdg-open', ...args] = browser ? [browser] : (openers[process.platform] ?? []);
  const child = spawn(command, [...args, url], { detached: true, stdio: 'ignore' });
  child.unref();
  return new Promise((resolve, reject) => {
    child.once('spawn', resolve).once('error', reject);
  });
}
