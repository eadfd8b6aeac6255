import type { BuildLog } from './build-log.ts';

interface Told {
  stream?: string;
  status?: string;
  id?: string;
  progress?: string;
  error?: string;
}

/** What the engine colours red came from standard error. */
const RED = '\u001b[91m';
// oxlint-disable-next-line no-control-regex -- control sequences of a terminal (ECMA-48)
const CONTROL = /\u001b\[[0-9;]*[A-Za-z]/g;
/** A longer line, without a break, is told in pieces. */
const LINE_CHARACTERS = 16_384;

/** Reads what the engine tells of a build: JSON texts, one behind the other, most of them a piece of a log. */
export class ImageLog {
  /** Why it failed, in the words of the engine. */
  problem: string | null = null;
  /** Short ids of the images of its steps, and of the containers that ran its commands, as they came. */
  readonly images: string[] = [];
  readonly containers: string[] = [];
  readonly #log: BuildLog;
  readonly #onContainer: (id: string) => void;
  readonly #decoder = new TextDecoder();
  #rest = '';
  #line = '';
  #isRed = false;

  /** @param onContainer told of each container before it is started. */
  constructor(log: BuildLog, onContainer: (id: string) => void) {
    this.#log = log;
    this.#onContainer = onContainer;
  }

  push(chunk: Buffer): void {
    const lines = (this.#rest + this.#decoder.decode(chunk, { stream: true })).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) if (line.trim() !== '') this.#message(line);
  }

  /** What has no end has ended. */
  end(): void {
    if (this.#line !== '') this.#whole();
  }

  #message(text: string): void {
    const told = parse(text);
    if (told.error !== undefined) this.problem = sentence(told.error);
    // Bars that grow are for terminals.
    else if (told.status !== undefined && told.progress === undefined)
      this.#log.info(told.id === undefined ? told.status : `${told.id}: ${told.status}`);
    for (const part of (told.stream ?? '').split(/(?<=\n)/)) {
      this.#line += part;
      if (part.includes(RED)) this.#isRed = true;
      if (part.endsWith('\n') || this.#line.length > LINE_CHARACTERS) this.#whole();
    }
  }

  #whole(): void {
    const text = this.#line.replaceAll(CONTROL, '').trimEnd();
    const wasRed = this.#isRed;
    this.#line = '';
    this.#isRed = false;
    if (text === '') return;
    const image = /^ ---> ([0-9a-f]{12})$/.exec(text)?.[1];
    const container = /^ ---> Running in ([0-9a-f]{12})$/.exec(text)?.[1];
    if (image !== undefined) this.images.push(image);
    if (container !== undefined) {
      this.containers.push(container);
      this.#onContainer(container);
    }
    if (wasRed) this.#log.warning(text);
    else this.#log.info(text);
  }
}

function parse(text: string): Told {
  try {
    return JSON.parse(text) as Told;
  } catch {
    return { stream: `${text}\n` };
  }
}

function sentence(text: string): string {
  const words = text.trim();
  return /[.!?]$/.test(words) ? words : `${words}.`;
}
