import { createGatewayClient, isEnded, type GatewayClient } from '@kethub/client';
import type { ServiceExecution } from '@kethub/contract';
import type { Narrator } from './narrator.ts';
import type { Demo } from './prepare.ts';

const RESULT_LINES = 20;
const LINE = 100;

/** Calls the service through the gateway as the demo application and reports its progress. Returns the ended execution. */
export async function callDemo(demo: Demo, narrator: Narrator): Promise<ServiceExecution> {
  const service = createGatewayClient(demo);
  narrator.title('Calling the service as the application');
  const started = await service.startExecution({ json: demo.input });
  narrator.line(`  POST ${demo.endpoint}  →  201  ${started.status}  ${started.id}`);
  const [execution] = await Promise.all([
    followStatus(service, started.id, narrator),
    followLog(service, started.id, narrator),
  ]);
  if (execution.status === 'SUCCEEDED') showResult(await service.getResult({ id: execution.id }), narrator);
  return execution;
}

/** The execution of the first start, the oldest one; null if there is none. Later executions are not the demo's. */
export async function earlierExecution(demo: Demo): Promise<ServiceExecution | null> {
  const service = createGatewayClient(demo);
  const oldest = (await service.listExecutions()).at(-1);
  return oldest ? service.getExecution({ id: oldest.id }) : null;
}

async function followStatus(service: GatewayClient, id: string, narrator: Narrator): Promise<ServiceExecution> {
  for await (const execution of service.watch(id)) {
    if (isEnded(execution)) return execution;
    narrator.line(`  ${execution.status}`);
  }
  throw new Error(`Execution ${id} was watched to its end without having one`);
}

async function followLog(service: GatewayClient, id: string, narrator: Narrator): Promise<void> {
  for await (const { entry } of service.followLog(id)) narrator.log(entry);
}

function showResult(
  { _links, _embedded, ...result }: Awaited<ReturnType<GatewayClient['getResult']>>,
  narrator: Narrator,
): void {
  narrator.title('Result');
  const lines = compact(result).split('\n');
  for (const line of lines.slice(0, RESULT_LINES)) narrator.line(`  ${line}`);
  if (lines.length > RESULT_LINES) narrator.line(`  … ${lines.length - RESULT_LINES} more lines`);
  const files = Object.entries(_links).filter(([name]) => !['self', 'status'].includes(name));
  for (const [name, link] of files) narrator.line(`  file ${name}: ${link.href}`);
}

/** JSON with a value on one line where it fits: a list of numbers is not a column. */
function compact(value: unknown, indent = ''): string {
  const flat = JSON.stringify(value);
  if (flat.length + indent.length <= LINE || typeof value !== 'object' || value === null) return elided(flat);
  const deeper = `${indent}  `;
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  const members = Array.isArray(value)
    ? value.map((one) => compact(one, deeper))
    : Object.entries(value).map(([name, one]) => `${JSON.stringify(name)}: ${compact(one, deeper)}`);
  return `${open}\n${members.map((member) => deeper + member).join(',\n')}\n${indent}${close}`;
}

function elided(text: string): string {
  return text.length > LINE ? `${text.slice(0, LINE)}…` : text;
}
