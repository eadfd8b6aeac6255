import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { DataPoolFile } from '@kethub/contract';
import { CliFailure, usageFailure } from './failures.ts';
import type { Output } from './terminal/output.ts';
import { sizeText } from './terminal/size.ts';

/** Percent between two reports of progress. Each is a line where there is no terminal. */
const STEP_PERCENT = 10;

type Send = (content: {
  readonly body: ReadableStream<Uint8Array>;
  /** The length, as a stream does not have one. */
  readonly headers: { readonly 'content-length': string };
}) => Promise<DataPoolFile>;

/** Streams a local file and reports the progress. Checks that the received file is the same. */
export async function upload(output: Output, file: string, name: string, send: Send): Promise<DataPoolFile> {
  const about = await stat(file);
  if (!about.isFile()) throw usageFailure(`${file} is no file. A data pool holds files, without folders.`);
  const hash = createHash('sha256');
  async function* content(): AsyncGenerator<Buffer> {
    let sent = 0;
    for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
      const steps = Math.floor((sent / about.size) * (100 / STEP_PERCENT));
      output.progress(`Uploading ${name}: ${steps * STEP_PERCENT} % of ${sizeText(about.size)}`);
      hash.update(chunk);
      sent += chunk.length;
      yield chunk;
    }
  }
  try {
    const uploaded = await send({
      body: ReadableStream.from(content()),
      headers: { 'content-length': String(about.size) },
    });
    if (uploaded.digest === hash.digest('hex')) return uploaded;
  } finally {
    output.settle();
  }
  throw new CliFailure(
    'refused',
    'damaged',
    `${name} has arrived damaged: its content is another one. Upload it again.`,
  );
}
