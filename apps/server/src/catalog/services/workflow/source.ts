import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { limits } from '@kethub/contract';
import type { FastifyRequest } from 'fastify';
import { Problem } from '../../../foundation/http/index.ts';
import type { Platform } from '../../../foundation/platform.ts';
import { requireFreeSpace } from '../../quotas/index.ts';
import { putOrphan } from '../../../foundation/storage/index.ts';
import { judgeWorkflow, type JudgedWorkflow } from './judge.ts';

export const bpmnMedia = ['application/xml', 'text/xml', 'application/bpmn+xml'] as const;

/** A stored and validated workflow file. Its blob is marked as an orphan until a version refers to it. */
export interface WorkflowSource extends JudgedWorkflow {
  readonly blob: string;
  readonly bytes: number;
  /** SHA-256 in hex. */
  readonly digest: string;
}

/**
 * Stores an uploaded BPMN file, also one with problems, so that a draft can be saved. Throws too-large,
 * insufficient-storage.
 */
export async function storeWorkflow(platform: Platform, upload: Readable): Promise<WorkflowSource> {
  requireFreeSpace(platform);
  const file = await readAll(upload);
  const judged = await judgeWorkflow(file);
  const digest = createHash('sha256').update(file).digest('hex');
  return { ...judged, blob: await putOrphan(platform, file), bytes: file.length, digest };
}

async function readAll(upload: Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of upload as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > limits.workflowBytes)
      throw new Problem('too-large', `A workflow file may have at most ${limits.workflowBytes} bytes.`);
    chunks.push(chunk);
  }
  if (bytes === 0) throw new Problem('invalid-request', 'The upload is empty. Send the BPMN file of the workflow.');
  return Buffer.concat(chunks);
}

export function isBpmn({ headers }: FastifyRequest): boolean {
  const media = (headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  return (bpmnMedia as readonly string[]).includes(media);
}
