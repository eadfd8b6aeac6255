import type { BuildLog } from './build-log.ts';

interface Message {
  stream?: string;
  status?: string;
  id?: string;
  progress?: string;
  error?: string;
}

/** The engine marks lines of standard error in red. */
const RED = '\u001b[91m';
// oxlint-disable-next-line no-control-regex -- control sequences of a terminal (ECMA-48)
const CONTROL = /\u001b\[[0-9;]*[A-Za-z]/g;
/** Characters of a line. A longer one is logged in pieces. */
const LINE_CHARACTERS = 16_384;

/** Reads the messages of the engine about a build: a sequence of JSON texts, most of them a piece of a log. */
export class ImageLog {
  /** The engine's message when the build failed. */
  problem: string | null = null;
  /** Short ids of the images of its steps and of the containers that ran its commands, in order. */
  readonly images: string[] = [];
  readonly containers: string[] = [];
  readonly #log: BuildLog;
  readonly #onContainer: (id: string) => void;
  readonly #decoder = new TextDecoder();
  #partialLine = '';
  #line = '';
  #isRed = false;

  /** @param onContainer called with each container before it is started. */
  constructor(log: BuildLog, onContainer: (id: string) => void) {
    this.#log = log;
    this.#onContainer = onContainer;
  }

  push(chunk: Buffer): void {
    const lines = (this.#partialLine + this.#decoder.decode(chunk, { stream: true })).split('\n');
    this.#partialLine = lines.pop() ?? '';
    for (const line of lines) if (line.trim() !== '') this.#message(line);
  }

  /** Logs a last line that has no line end. */
  end(): void {
    if (this.#line !== '') this.#whole();
  }

  #message(text: string): void {
    const message = parse(text);
    if (message.error !== undefined) this.problem = sentence(message.error);
    // Progress bars are for terminals only.
    else if (message.status !== undefined && message.progress === undefined)
      this.#log.info(message.id === undefined ? message.status : `${message.id}: ${message.status}`);
    for (const part of (message.stream ?? '').split(/(?<=\n)/)) {
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

function parse(text: string): Message {
  try {
    return JSON.parse(text) as Message;
  } catch {
    return { stream: `${text}\n` };
  }
}

function sentence(text: string): string {
  const words = text.trim();
  return /[.!?]$/.test(words) ? words : `${words}.`;
}
