import { type Browser, chromium, type Page } from 'playwright';
import { findChromium } from '../../test/support/chromium.ts';
import { createFigure, type Figure } from './figure.ts';
import { type ServerProcess, startServer } from './http/child.ts';
import { createLoad, loadServer, type Method, sendOnce } from './http/load.ts';
import { ratios, runRounds, WARM_UP } from './rounds.ts';

const ROUNDS = 9;
/** A frame that takes longer is visible as a jerk, in milliseconds. */
const SLOW_FRAME = 50;

/** Compares a mock whose dashboard is open in Chromium with one without a page, and counts slow frames meanwhile. */
export async function measureDashboard(): Promise<Figure[]> {
  using watched = await startServer('serve-mock.ts');
  using plain = await startServer('serve-mock.ts');
  await Promise.all([sendOnce(watched, 'POST'), sendOnce(plain, 'POST')]);
  const browser = await openBrowser();
  try {
    const page = await browser.newPage();
    await page.goto(`http://127.0.0.1:${watched.port}/#/requests`);
    await page.locator('.scroll a').first().waitFor();
    return [
      ...(await compare(watched, plain, 'GET')),
      ...(await compare(watched, plain, 'POST')),
      await measureFrames(page, watched),
    ];
  } finally {
    await browser.close();
  }
}

async function openBrowser(): Promise<Browser> {
  const executablePath = await findChromium();
  return chromium.launch({ ...(executablePath && { executablePath }), args: ['--no-sandbox'] });
}

async function compare(watched: ServerProcess, plain: ServerProcess, method: Method): Promise<Figure[]> {
  const cpu: Record<'watched' | 'plain', number[]> = { watched: [], plain: [] };
  const rates = await runRounds(
    { watched: createLoad(watched, method, cpu.watched), plain: createLoad(plain, method, cpu.plain) },
    ROUNDS,
  );
  const costs = ratios(cpu.watched.slice(WARM_UP), cpu.plain.slice(WARM_UP));
  const title = `${method} with an open dashboard / without`;
  return [
    createFigure(`${title}: responses per second`, ratios(rates.watched, rates.plain), {
      goal: { atLeast: 0.85 },
    }),
    createFigure(`${title}: processor time of the server`, costs),
  ];
}

/** Scrolls through the requests while others arrive. Returns the share of slow frames in each round. */
async function measureFrames(page: Page, server: ServerProcess): Promise<Figure> {
  const shares: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const counting = page.evaluate(countSlowFrames, SLOW_FRAME);
    await loadServer(server, 'GET');
    shares.push(await counting);
  }
  return createFigure('Share of frames over 50 ms while scrolling under load', shares, {
    goal: { atMost: 0.05 },
  });
}

/** Runs in the page: scrolls for two seconds and returns the share of frames that took longer than `limit`. */
function countSlowFrames(limit: number): Promise<number> {
  return new Promise((resolve) => {
    let last = performance.now();
    let frames = 0;
    let slow = 0;
    const end = last + 2_000;
    const draw = (now: number): void => {
      frames += 1;
      if (now - last > limit) slow += 1;
      last = now;
      document.querySelector('.scroll')?.scrollBy(0, 30);
      if (now < end) requestAnimationFrame(draw);
      else resolve(slow / frames);
    };
    requestAnimationFrame(draw);
  });
}
