import { Transform, type TransformCallback } from 'node:stream';
import { GitRefusal, tooLarge } from './refusal.ts';

/** Bytes of the list of commands, before the pack. A ref of the longest name fits a thousand times. */
const LIST_BYTES = 1024 * 1024;
const ZERO = /^0+$/;
const COMMAND = /^([0-9a-f]{40,64}) ([0-9a-f]{40,64}) (\S+)$/;

/** A change of a ref, as a client asks for it. */
export interface RefCommand {
  readonly ref: string;
  readonly isDeletion: boolean;
}

/**
 * Passes the body of a push on after its list of commands has been read, and emits `list` then. So Git never starts
 * with more changes of refs than `most`. Ends with a GitRefusal for a list that is too long, damaged or cut off, and
 * after `mostBytes` of the body.
 */
export class PushCommands extends Transform {
  readonly commands: RefCommand[] = [];
  readonly #most: number;
  readonly #mostBytes: number;
  #bytes = 0;
  #head: Buffer | null = Buffer.alloc(0);
  #at = 0;

  constructor(most: number, mostBytes: number) {
    super();
    this.#most = most;
    this.#mostBytes = mostBytes;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#bytes += chunk.length;
    if (this.#bytes > this.#mostBytes) return done(tooLarge(this.#mostBytes));
    if (this.#head === null) return done(null, chunk);
    try {
      this.#head = Buffer.concat([this.#head, chunk]);
      if (!this.#readLines(this.#head)) {
        if (this.#head.length > LIST_BYTES) throw new GitRefusal(413, 'The push changes too many branches and tags.');
        return done();
      }
      const head = this.#head;
      this.#head = null;
      this.emit('list');
      return done(null, head);
    } catch (error) {
      return done(error as Error);
    }
  }

  override _flush(done: TransformCallback): void {
    if (this.#head !== null && this.#head.length > 0) return done(new GitRefusal(400, 'The push was cut off.'));
    if (this.#head !== null) this.emit('list');
    done();
  }

  /** Reads pkt-lines up to the flush packet. Returns whether that has come. */
  #readLines(bytes: Buffer): boolean {
    while (this.#at + 4 <= bytes.length) {
      const digits = bytes.toString('latin1', this.#at, this.#at + 4);
      const length = /^[0-9a-fA-F]{4}$/.test(digits) ? Number.parseInt(digits, 16) : 1;
      if (length === 0) return true;
      if (length < 4) throw new GitRefusal(400, 'The push is damaged.');
      if (this.#at + length > bytes.length) return false;
      this.#readCommand(bytes.toString('utf8', this.#at + 4, this.#at + length));
      this.#at += length;
    }
    return false;
  }

  #readCommand(line: string): void {
    const [text = ''] = line.split('\0');
    if (text.startsWith('shallow ')) return;
    const [, , target = '', ref] = COMMAND.exec(text.trimEnd()) ?? [];
    if (ref === undefined) throw new GitRefusal(400, 'The push is damaged.');
    this.commands.push({ ref, isDeletion: ZERO.test(target) });
    if (this.commands.length > this.#most)
      throw new GitRefusal(413, `A push changes at most ${this.#most} branches and tags. Push them in parts.`);
  }
}
