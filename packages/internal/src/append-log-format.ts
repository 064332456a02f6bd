/**
 * The content of an append log: a line with the format, then groups of records. All records of a group are written
 * and made durable together.
 */

/** The kinds of groups: a part of the compacted records, its last part, and appended records. */
export type GroupKind = 'S' | 'E' | 'A';

/** A part of the content of a log. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** The result of reading the content of a log. */
export interface LogContent {
  /** The lines of each group. */
  readonly groups: readonly Range[];
  /** The end of the last valid group. Anything after it is the rest of an interrupted write. */
  readonly end: number;
  /** The end of the compacted records. */
  readonly compactedEnd: number;
}

/** The content is damaged: an interrupted write cannot be the cause. */
export class DamagedContent extends Error {
  override readonly name = 'DamagedContent' as const;
  readonly offset: number;

  constructor(offset: number, reason: string) {
    super(reason);
    this.offset = offset;
  }
}

/** The first line of a log. `name` distinguishes logs of different applications. */
export function formatTitle(name: string): Buffer {
  return Buffer.from(`append-log 1 ${name}\n`);
}

/** Returns the version and name of a log, or undefined if the content is not a log. */
export function readTitle(bytes: Buffer): { readonly version: string; readonly name: string } | undefined {
  const [, version, name] = /^append-log (\d+) (.+)\n/.exec(bytes.toString('latin1', 0, 200)) ?? [];
  return version === undefined || name === undefined ? undefined : { version, name };
}

/** The length of a group's header: kind, sequence number, length, checksum of the lines, and of the header. */
export const HEADER_LENGTH = 38;
const HEADER = /^[SEA](?: [0-9a-f]{8}){4}\n$/;
const NEWLINE = 0x0a;

/** Formats a group. Each line ends in a line break and contains no other one. */
export function formatGroup(kind: GroupKind, sequence: number, lines: string | Uint8Array): Buffer {
  const bytes = Buffer.allocUnsafe(HEADER_LENGTH + Buffer.byteLength(lines));
  if (typeof lines === 'string') bytes.write(lines, HEADER_LENGTH);
  else bytes.set(lines, HEADER_LENGTH);
  const content = bytes.subarray(HEADER_LENGTH);
  const fields = `${kind} ${toHex32(sequence)} ${toHex32(content.byteLength)} ${toHex32(computeCrc32(content))} `;
  bytes.write(fields, 'latin1');
  const checksum = computeCrc32(bytes.subarray(0, fields.length));
  bytes.write(`${toHex32(checksum)}\n`, fields.length, 'latin1');
  return bytes;
}

interface Header {
  readonly kind: GroupKind;
  readonly sequence: number;
  readonly length: number;
  readonly checksum: number;
}

function readHeader(bytes: Buffer, offset: number): Header | undefined {
  const text = bytes.toString('latin1', offset, offset + HEADER_LENGTH);
  if (!HEADER.test(text)) return undefined;
  const [kind, ...fields] = text.trimEnd().split(' ');
  const [sequence = 0, length = 0, checksum = 0, own] = fields.map((field) => Number.parseInt(field, 16));
  const isValid = own === computeCrc32(bytes.subarray(offset, offset + HEADER_LENGTH - 9));
  return isValid ? { kind: kind as GroupKind, sequence, length, checksum } : undefined;
}

/**
 * Reads the groups of a log after its title.
 *
 * @throws {DamagedContent} except for the rest of an interrupted write at the end
 */
export function readGroups(bytes: Buffer, titleLength: number): LogContent {
  const groups: Range[] = [];
  let compactedEnd: number | undefined;
  let offset = titleLength;
  while (offset < bytes.byteLength) {
    const header = readHeader(bytes, offset);
    const group = header && checkGroup(bytes, offset, { header, sequence: groups.length });
    if (header === undefined) checkTornHeader(bytes, offset);
    if (group === undefined) break;
    groups.push(group);
    offset = group.end;
    if (header?.kind === 'E') compactedEnd = offset;
  }
  if (compactedEnd === undefined) throw new DamagedContent(offset, 'The compacted records are incomplete.');
  return { groups, end: offset, compactedEnd };
}

interface ExpectedGroup {
  readonly header: Header;
  readonly sequence: number;
}

/** Returns the lines of a group, or undefined if its write was interrupted. */
function checkGroup(bytes: Buffer, offset: number, { header, sequence }: ExpectedGroup): Range | undefined {
  if (header.sequence !== sequence)
    throw new DamagedContent(offset, `Group ${header.sequence} follows group ${sequence - 1}.`);
  const start = offset + HEADER_LENGTH;
  const end = start + header.length;
  const isComplete = end <= bytes.byteLength;
  if (isComplete && computeCrc32(bytes.subarray(start, end)) === header.checksum) return { start, end };
  if (!isComplete || (end === bytes.byteLength && hasHole(bytes, offset))) return undefined;
  throw new DamagedContent(offset, 'The checksum of a group of records does not match.');
}

/** Checks that an invalid header is the start of an interrupted write. */
function checkTornHeader(bytes: Buffer, offset: number): void {
  const isTorn = bytes.byteLength - offset < HEADER_LENGTH || hasHole(bytes, offset);
  if (!isTorn || hasHeaderAfter(bytes, offset))
    throw new DamagedContent(offset, 'The header of a group of records is invalid.');
}

const SECTOR = 512;

/**
 * Returns whether a sector of the last write is missing. After a power failure the missing parts of a file read as
 * zero bytes, which JSON text never contains.
 */
function hasHole(bytes: Buffer, offset: number): boolean {
  const hole = bytes.indexOf(0, offset);
  return hole === offset || (hole > offset && hole % SECTOR === 0);
}

/** A later group proves that the earlier one was complete: a group is written after the sync of the one before. */
function hasHeaderAfter(bytes: Buffer, offset: number): boolean {
  for (let line = bytes.indexOf(NEWLINE, offset); line !== -1; line = bytes.indexOf(NEWLINE, line + 1))
    if (readHeader(bytes, line + 1) !== undefined) return true;
  return false;
}

/** Yields the positions of the lines of all groups, without their line breaks. */
export function* listLines(bytes: Buffer, groups: readonly Range[]): Generator<Range> {
  for (const group of groups) {
    for (let { start } = group; start < group.end;) {
      const end = bytes.indexOf(NEWLINE, start);
      yield { start, end };
      start = end + 1;
    }
  }
}

function toHex32(value: number): string {
  return value.toString(16).padStart(8, '0');
}

const crcTable = Uint32Array.from({ length: 256 }, (_, index) => {
  let value = index;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

/** Computes a CRC-32 (RFC 1952, section 8). `crc32` of `node:zlib` needs Node 20.15. */
function computeCrc32(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (let index = 0; index < bytes.length; index += 1)
    crc = (crcTable[(crc ^ (bytes[index] as number)) & 0xff] as number) ^ (crc >>> 8);
  return ~crc >>> 0;
}
