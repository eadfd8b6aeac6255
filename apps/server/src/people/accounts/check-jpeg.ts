import { Bits, progressiveBlock, sequentialBlock, type Codes, type Component, type ReadBlock } from './jpeg-blocks.ts';

/** Number of scans that are checked. The decoder judges a file that has more. */
const MOST_SCANS = 100;

interface FrameComponent extends Component {
  readonly id: number;
  /** Blocks of a unit of an interleaved scan (T.81 A.2.3). */
  readonly ofUnit: number;
  /** Blocks of a scan of this component alone (A.2.2). */
  readonly blocks: number;
}

interface Frame {
  readonly progressive: boolean;
  readonly components: readonly FrameComponent[];
  /** Units of an interleaved scan (A.2.3). */
  readonly units: number;
}

interface Scan {
  readonly units: number;
  readonly components: readonly FrameComponent[];
  /** Reads each block of a unit, in their order. */
  readonly readers: readonly ReadBlock[];
}

interface Tables {
  readonly codes: Map<number, Codes>;
  readonly steps: Map<number, Uint16Array>;
}

/**
 * Returns whether the entropy-coded data of a JPEG hold valid codes for exactly the blocks of its frame (ITU-T T.81).
 * Decoders find the next code after damaged bytes and do not warn. No pixel is computed. True for all that only the
 * decoder judges: arithmetic coding, 12 bits, lossless, hierarchical, damaged headers.
 */
export function isWholeJpeg(bytes: Buffer): boolean {
  const bits = new Bits(bytes);
  const tables: Tables = { codes: new Map(), steps: new Map() };
  let frame: Frame | null = null;
  let interval = 0;
  let scans = 0;
  let at = 2;
  while (at + 4 <= bytes.length) {
    const marker = bytes.readUInt8(at + 1);
    // Skips bytes that fill up before a marker (B.1.1.2), and others of which the decoder warns.
    if (bytes.readUInt8(at) !== 0xff || marker === 0xff || marker === 0) {
      at += 1;
      continue;
    }
    at += 2;
    if (marker === 0xd9) return true;
    // TEM, RST and SOI have no segment.
    if (marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8)) continue;
    const segment = bytes.subarray(at + 2, at + bytes.readUInt16BE(at));
    at += segment.length + 2;
    if (marker === 0xc4) {
      if (!readCodes(segment, tables)) return true;
    } else if (marker === 0xdb) readSteps(segment, tables);
    else if (marker === 0xdd && segment.length >= 2) interval = segment.readUInt16BE(0);
    else if (marker >= 0xc0 && marker <= 0xcf) {
      frame = marker <= 0xc2 && !frame ? readFrame(segment, marker === 0xc2, tables) : null;
      if (!frame) return true;
    } else if (marker === 0xda) {
      scans += 1;
      const scan = frame && scans <= MOST_SCANS ? readScan(segment, frame, tables) : null;
      if (!scan) return true;
      const end = readUnits(bits, bytes, at, interval, scan);
      if (end === null) return false;
      at = end;
    }
  }
  return true;
}

/** DHT (B.2.4.2): the codes of each length are consecutive numbers (C.2). */
function readCodes(segment: Buffer, tables: Tables): boolean {
  for (let at = 0; at < segment.length;) {
    const codes = new Uint16Array(65_536);
    tables.codes.set(segment[at] ?? 0, codes);
    const counts = segment.subarray(at + 1, at + 17);
    at += 17;
    let code = 0;
    for (const [index, count] of counts.entries()) {
      const size = 1 << (15 - index);
      for (const symbol of segment.subarray(at, at + count)) {
        codes.fill(((index + 1) << 8) | symbol, code, code + size);
        code += size;
      }
      at += count;
    }
    if (code > 65_536 || at > segment.length) return false;
  }
  return true;
}

/** DQT (B.2.4.1). */
function readSteps(segment: Buffer, { steps }: Tables): void {
  for (let at = 0; at < segment.length;) {
    const header = segment[at] ?? 0;
    const size = header >> 4 ? 2 : 1;
    at += 1;
    if (at + 64 * size > segment.length) return;
    const table = steps.get(header & 15) ?? new Uint16Array(64);
    for (let k = 0; k < 64; k++, at += size) table[k] = segment.readUIntBE(at, size);
    steps.set(header & 15, table);
  }
}

/** SOF0 to SOF2 (B.2.2). Null when only the decoder can judge it. */
function readFrame(segment: Buffer, progressive: boolean, { steps }: Tables): Frame | null {
  if (segment.length < 9 || segment[0] !== 8) return null;
  const [height, width, count] = [segment.readUInt16BE(1), segment.readUInt16BE(3), segment.readUInt8(5)];
  if (height === 0 || width === 0 || count < 1 || count > 4 || segment.length !== 6 + 3 * count) return null;
  const shapes = Array.from({ length: count }, (_none, index) => {
    const [id = 0, factors = 0, table = 0] = segment.subarray(6 + 3 * index);
    return { id, across: factors >> 4, down: factors & 15, table };
  });
  if (shapes.some(({ across, down }) => across < 1 || across > 4 || down < 1 || down > 4)) return null;
  const across = Math.max(...shapes.map((shape) => shape.across));
  const down = Math.max(...shapes.map((shape) => shape.down));
  const components = shapes.map((shape) => {
    const inRow = Math.ceil(Math.ceil((width * shape.across) / across) / 8);
    const blocks = inRow * Math.ceil(Math.ceil((height * shape.down) / down) / 8);
    // A table may follow the frame: its steps are filled in when it is read.
    const table = steps.get(shape.table) ?? new Uint16Array(64);
    steps.set(shape.table, table);
    const nonzero = new Uint32Array(progressive ? 2 * blocks : 0);
    return { id: shape.id, ofUnit: shape.across * shape.down, blocks, steps: table, nonzero, dc: 0 };
  });
  return { progressive, components, units: Math.ceil(width / (8 * across)) * Math.ceil(height / (8 * down)) };
}

/** SOS (B.2.3). Null when only the decoder can judge it. */
function readScan(segment: Buffer, frame: Frame, { codes }: Tables): Scan | null {
  const count = segment[0] ?? 0;
  if (count < 1 || count > frame.components.length || segment.length !== 4 + 2 * count) return null;
  const [first = 0, last = 0, bitPositions = 0] = segment.subarray(1 + 2 * count);
  const band = { first, last, refines: bitPositions >> 4 > 0 };
  if (frame.progressive && first > 0 && count > 1) return null;
  const components: FrameComponent[] = [];
  const readers: ReadBlock[] = [];
  for (let at = 1; at <= 2 * count; at += 2) {
    const component = frame.components.find(({ id }) => id === segment[at]);
    if (!component) return null;
    const selected = segment[at + 1] ?? 0;
    const [dc, ac] = [codes.get(selected >> 4), codes.get(0x10 | (selected & 15))];
    const sequential = dc && ac && !frame.progressive ? sequentialBlock(component, dc, ac) : null;
    const read = frame.progressive ? progressiveBlock(component, dc, ac, band) : sequential;
    if (!read) return null;
    components.push(component);
    for (let block = 0; block < (count > 1 ? component.ofUnit : 1); block++) readers.push(read);
  }
  const [single] = components;
  return { components, readers, units: count === 1 && single ? single.blocks : frame.units };
}

/** Reads the units of a scan, and returns the position of the marker behind them; null when they are damaged. */
function readUnits(bits: Bits, bytes: Buffer, from: number, interval: number, scan: Scan): number | null {
  const { units, components, readers } = scan;
  let at = bits.load(from);
  for (let unit = 0; unit < units;) {
    // The markers RST0 to RST7 stand between intervals, in turn (B.2.1).
    if (unit > 0) {
      while (bytes[at + 1] === 0xff) at += 1;
      if (bytes[at + 1] !== (0xd0 | ((unit / interval - 1) & 7))) return null;
      at = bits.load(at + 2);
    }
    for (const component of components) component.dc = 0;
    for (const end = Math.min(unit + (interval || units), units); unit < end; unit++)
      for (const read of readers) if (!read(bits, unit) || bits.left < 0) return null;
    // Less than a byte fills up before a marker (F.1.2.3), and no EOBRUN goes on (G.1.2.2).
    if (bits.left >= 8 || bits.run > 0) return null;
  }
  return at;
}
