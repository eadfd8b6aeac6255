import { parentPort, workerData } from 'node:worker_threads';
import { checkDocument } from './check.ts';
import type { Judgement, ToJudge } from './judge.ts';
import { readJson, readYaml } from '@kethub/service-api/specification';

/** Validates a document. Runs in its own thread, see judge.ts. */
async function judge({ text, form }: ToJudge): Promise<Judgement> {
  const read = form === 'YAML' ? readYaml(text) : readJson(JSON.parse(text));
  if (!read.ok) return { ok: false, errors: read.errors };
  const errors = await checkDocument(read.document);
  return errors.length > 0 ? { ok: false, errors } : { ok: true, document: JSON.stringify(read.document) };
}

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
parentPort?.postMessage(await judge(workerData as ToJudge));
