/** One event of a `text/event-stream`. */
interface ServerEvent {
  /** `message` unless the stream names another. */
  readonly event: string;
  readonly data: string;
  /** Last id seen, of this event or an earlier one; where to resume. */
  readonly id: string | undefined;
  /** Milliseconds that the server wants between reconnections, once it has said so. */
  readonly retry: number | undefined;
}

/**
 * Parses `text/event-stream` (HTML standard, §9.2.6) given in any pieces. One deviation: an event that has a name but
 * no data line is delivered with empty data rather than dropped. An end needs no data.
 */
export class EventParser {
  private partialLine = '';
  private started = false;
  private endedWithCarriageReturn = false;
  private data: string[] = [];
  private event = '';
  private id: string | undefined;
  private retry: number | undefined;

  /** The events that this piece completes. */
  push(piece: string): ServerEvent[] {
    let text = piece;
    if (!this.started && text !== '') {
      this.started = true;
      if (text.startsWith('\u{FEFF}')) text = text.slice(1);
    }
    // CR LF is one line end even when the pieces part between the two.
    if (this.endedWithCarriageReturn && text.startsWith('\n')) text = text.slice(1);
    if (piece !== '') this.endedWithCarriageReturn = text.endsWith('\r');
    const lines = (this.partialLine + text).split(/\r\n|\n|\r/);
    this.partialLine = lines.pop() ?? '';
    return lines.flatMap((line) => this.line(line) ?? []);
  }

  private line(line: string): ServerEvent | undefined {
    if (line === '') return this.dispatch();
    const colon = line.indexOf(':');
    if (colon === 0) return undefined;
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (field === 'data') this.data.push(value);
    else if (field === 'event') this.event = value;
    else if (field === 'id' && !value.includes('\0')) this.id = value;
    else if (field === 'retry' && /^\d{1,9}$/.test(value)) this.retry = Number(value);
    return undefined;
  }

  private dispatch(): ServerEvent | undefined {
    const { data, event } = this;
    this.data = [];
    this.event = '';
    if (data.length === 0 && event === '') return undefined;
    return { event: event || 'message', data: data.join('\n'), id: this.id, retry: this.retry };
  }
}

/** The events of a body, as they come. An unfinished event at the end is dropped, as the standard says. */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent, void> {
  const parser = new EventParser();
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  for await (const piece of body) yield* parser.push(decoder.decode(piece, { stream: true }));
}
