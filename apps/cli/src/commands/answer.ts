import { KethubError, readBody, type GatewayClient } from '@kethub/client';
import type { ServiceExecution } from '@kethub/contract';
import { CliFailure } from '../failures.ts';
import { JsonText, layOut } from '../json.ts';
import type { Shell } from '../shell.ts';
import { printable, type Output } from '../terminal/output.ts';

/** The successful answer of a service. A service that runs elsewhere may answer with anything. */
interface RawAnswer {
  /** In lower case, without parameters. Empty when the answer has none. */
  readonly mediaType: string;
  readonly bytes: Uint8Array;
}

/** The answer of a service that runs elsewhere, and the service's address. */
export interface Answered {
  readonly endpoint: string;
  readonly answer: RawAnswer;
}

/** Characters of an error page that are shown. The rest is cut off. */
const SHOWN = 2_000;

/**
 * Starts an execution, or calls a service that runs elsewhere. Throws service-failed when that service answers with an
 * error.
 */
export async function callService(service: GatewayClient, input: string): Promise<RawAnswer> {
  try {
    const headers = { accept: 'application/json, */*;q=0.9' };
    const response = await service.startExecution.response({ jsonText: input, headers });
    const mediaType = (response.headers.get('content-type') ?? '').split(';', 1).join('').trim().toLowerCase();
    return { mediaType, bytes: await readBody(response, undefined, () => response.bytes()) };
  } catch (error) {
    // The gateway itself answers with problem documents.
    if (!(error instanceof KethubError) || error.code !== 'unexpected-answer' || error.status < 400) throw error;
    const text = (error.answer ?? '').trim().slice(0, SHOWN);
    throw new CliFailure(
      'failed',
      'service-failed',
      `The service at ${service.endpoint} answered ${error.status}${text === '' ? ' and nothing else.' : `: ${text}`}`,
    );
  }
}

/** The execution in the answer to a start; null for any other answer. */
export function executionIn({ bytes }: RawAnswer): ServiceExecution | null {
  const value = parsed(bytes);
  if (typeof value !== 'object' || value === null) return null;
  const { id, status, createdAt } = value as Partial<Record<string, unknown>>;
  const isExecution = typeof id === 'string' && typeof status === 'string' && typeof createdAt === 'string';
  return isExecution ? (value as ServiceExecution) : null;
}

/** Prints an answer: JSON with indentation, text unchanged, other bytes only to a file or pipe. */
export function showAnswer(shell: Shell, output: Output, { endpoint, answer }: Answered): void {
  const { bytes, mediaType } = answer;
  const text = textOf(bytes);
  const json = text !== null && parsed(bytes) !== undefined ? new JsonText(text) : null;
  const described = {
    endpoint,
    mediaType,
    ...(text === null ? { base64: Buffer.from(bytes).toString('base64') } : { answer: json ?? text }),
  };
  output.note(output.style.green('ANSWERED'));
  if (output.json) output.result('', described);
  else if (json) output.result(layOut(json), null);
  else if (!shell.stdout.isTTY) shell.stdout.write(bytes);
  else if (text !== null) shell.stdout.write(printable(text, true));
  else output.note(`${bytes.length} bytes that are no text (${mediaType}). Send them to a file: ket run ... > file`);
}

/** Undefined for text that is not JSON. */
function parsed(bytes: Uint8Array): unknown {
  const text = textOf(bytes);
  if (text === null) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Null for bytes that are not UTF-8 text. */
function textOf(bytes: Uint8Array): string | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return text.includes('\0') ? null : text;
  } catch {
    return null;
  }
}
