import { readFileSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { inspectJson } from './json-shape.ts';

const { path, skip } = workerData as { path: string; skip: number };
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
parentPort?.postMessage(inspectJson(readFileSync(path).subarray(skip)));
