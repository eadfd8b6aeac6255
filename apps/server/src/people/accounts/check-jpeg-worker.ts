import { readFile } from 'node:fs/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { isWholeJpeg } from './check-jpeg.ts';

/** Runs in a thread of its own: see decode-image.ts. */
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
parentPort?.postMessage(isWholeJpeg(await readFile(workerData as string)));
