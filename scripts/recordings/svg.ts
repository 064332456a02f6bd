import xterm from '@xterm/headless';

/** A part of the recording: a command and its output, with escape sequences. */
export interface Take {
  readonly command: string;
  readonly output: string;
}

/** The form of a recording. */
export interface SvgOptions {
  readonly title: string;
  readonly columns: number;
  readonly rows: number;
}

/** A text with one style, from a column. */
interface Run {
  readonly column: number;
  readonly width: number;
  readonly text: string;
  readonly style: string;
}

/** Lines that appear at the same time, in milliseconds. */
interface Line {
  readonly runs: readonly Run[];
  readonly at: number;
}

const CELL = 8.4;
const LINE = 20;
const PADDING = 16;
const BAR = 34;
/** Time to read a command, each line of its output, and the whole output. */
const COMMAND_TIME = 1_200;
const LINE_TIME = 140;
const OUTPUT_TIME = 2_600;
const END_TIME = 5_000;

/** Draws commands and their output as an animated SVG without scripts. It plays in a loop, and readers who prefer less motion see its end. */
export async function drawRecording(takes: readonly Take[], options: SvgOptions): Promise<string> {
  const { lines, duration } = schedule(await readTakes(takes, options.columns));
  const width = options.columns * CELL + 2 * PADDING;
  const height = options.rows * LINE + BAR + PADDING;
  const times = [...new Set(lines.map(({ at }) => at))];
  const toPercent = (at: number): string => `${((100 * at) / duration).toFixed(2)}%`;
  const appearances = times.map(
    (at, index) => `@keyframes a${index}{0%{opacity:0}${toPercent(at)}{opacity:1}}`,
  );
  const scrolls = times.map((at) => {
    const shown = lines.filter((line) => line.at <= at).length;
    return `${toPercent(at)}{transform:translateY(${-LINE * Math.max(0, shown - options.rows)}px)}`;
  });
  const hidden = LINE * Math.max(0, lines.length - options.rows);
  const groups = times.map((at, index) => {
    const texts = lines.flatMap((line, row) =>
      line.at === at ? line.runs.map((run) => drawRun(run, row)) : [],
    );
    return `<g style="animation-name:a${index}">${texts.join('')}</g>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" role="img">
<title>${escapeXml(options.title)}</title>
<style>${STYLE}
${appearances.join('\n')}
@keyframes scroll{0%{transform:none}${scrolls.join('')}100%{transform:translateY(${-hidden}px)}}
.lines{transform:translateY(${-hidden}px);animation:scroll ${duration}ms step-end infinite}
.lines g{animation-duration:${duration}ms}</style>
<rect class="window" x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="8"/>
<circle cx="20" cy="18" r="5.5" fill="#ff5f57"/><circle cx="38" cy="18" r="5.5" fill="#febc2e"/><circle cx="56" cy="18" r="5.5" fill="#28c840"/>
<svg x="0" y="${BAR}" width="${width}" height="${options.rows * LINE}"><g class="lines">
${groups.join('\n')}
</g></svg>
</svg>
`;
}

const STYLE = `text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;white-space:pre;fill:#1f2328}
.window{fill:#fff;stroke:#d1d9e0}.dim{fill:#59636e}.bold,.prompt{font-weight:600}.prompt{fill:#0969da}
.red{fill:#d1242f}.green{fill:#1a7f37}.yellow{fill:#9a6700}
.lines g{animation-timing-function:step-end;animation-iteration-count:infinite}
@media (prefers-color-scheme:dark){text{fill:#e6edf3}.window{fill:#0d1117;stroke:#3d444d}.dim{fill:#9198a1}.prompt{fill:#4493f8}.red{fill:#f85149}.green{fill:#3fb950}.yellow{fill:#d29922}}
@media (prefers-reduced-motion:reduce){.lines,.lines g{animation:none!important}}`;

function drawRun({ column, width, text, style }: Run, row: number): string {
  const length = (width * CELL).toFixed(1);
  const x = (PADDING + column * CELL).toFixed(1);
  return `<text x="${x}" y="${row * LINE + 15}" textLength="${length}"${style && ` class="${style}"`}>${escapeXml(text)}</text>`;
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

interface TakeLines {
  readonly command: readonly Run[][];
  readonly output: readonly Run[][];
}

/** Sets the time of each line. The times do not depend on the speed of the machine, so that a recording can be repeated. */
function schedule(takes: readonly TakeLines[]): {
  readonly lines: readonly Line[];
  readonly duration: number;
} {
  const lines: Line[] = [];
  let time = 0;
  for (const { command, output } of takes) {
    for (const runs of command) lines.push({ runs, at: time });
    time += COMMAND_TIME;
    for (const runs of output) {
      lines.push({ runs, at: time });
      time += LINE_TIME;
    }
    lines.push({ runs: [], at: time });
    time += OUTPUT_TIME;
  }
  // The last empty line.
  return { lines: lines.slice(0, -1), duration: time + END_TIME };
}

async function readTakes(takes: readonly Take[], columns: number): Promise<TakeLines[]> {
  const lines: TakeLines[] = [];
  for (const { command, output } of takes) {
    const [first = [], ...more] = await readLines(`\u001b[34m$\u001b[39m ${command}`, columns);
    lines.push({ command: [first, ...more], output: await readLines(output, columns) });
  }
  return lines;
}

/** Returns the lines that a terminal shows after an output, without empty lines at the end. */
async function readLines(output: string, columns: number): Promise<Run[][]> {
  const terminal = new xterm.Terminal({
    cols: columns,
    rows: 200,
    scrollback: 10_000,
    allowProposedApi: true,
  });
  await new Promise<void>((resolve) => terminal.write(output, resolve));
  const { active } = terminal.buffer;
  const lines = Array.from({ length: active.length }, (_, index) => readRuns(active.getLine(index)));
  terminal.dispose();
  return lines.slice(0, lines.findLastIndex((runs) => runs.length > 0) + 1);
}

type BufferLine = ReturnType<InstanceType<typeof xterm.Terminal>['buffer']['active']['getLine']>;

function readRuns(line: BufferLine): Run[] {
  const runs: Run[] = [];
  for (let column = 0; column < (line?.length ?? 0); column += 1) {
    const cell = line?.getCell(column);
    const width = cell?.getWidth() ?? 0;
    if (cell === undefined || width === 0) continue;
    const text = cell.getChars() || ' ';
    const style = toStyle(cell);
    const last = runs.at(-1);
    if (last?.style === style)
      runs[runs.length - 1] = { ...last, text: last.text + text, width: last.width + width };
    else runs.push({ column, width, text, style });
  }
  const trimmed = runs.map((run) => ({
    ...run,
    text: run.text.trimEnd(),
    width: run.width - (run.text.length - run.text.trimEnd().length),
  }));
  return trimmed.filter(({ text }) => text !== '');
}

const colors: Readonly<Record<number, string>> = { 1: 'red', 2: 'green', 3: 'yellow', 4: 'prompt' };

function toStyle(cell: NonNullable<ReturnType<NonNullable<BufferLine>['getCell']>>): string {
  if (cell.isFgPalette()) return colors[cell.getFgColor()] ?? '';
  if (cell.isDim()) return 'dim';
  return cell.isBold() ? 'bold' : '';
}
