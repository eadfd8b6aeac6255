import { postgreSql, sqlite } from '@kethub/server/testing/databases';
import { callerOf } from '@kethub/server/testing/gateway';
import { startTestKethub } from '@kethub/server/testing/kethub';
import { deployOnPremise, localTargets } from '@kethub/server/testing/on-premise';
import { bpmn, calls, deployWorkflow, start } from '@kethub/server/testing/workflows';
import { untilInputEnds } from './until-input-ends.ts';

export interface Question {
  readonly database: 'SQLite' | 'PostgreSQL';
  /** The address of the service that the task calls. */
  readonly url: string;
  readonly owners: readonly string[];
}

/** A workflow of one task, at the gateway. */
export interface DeployedWorkflow {
  readonly url: string;
  readonly bearer: string;
}

// A whole platform. Every owner has a workflow whose only task calls a service that runs elsewhere.
const { database, url, owners } = JSON.parse(process.argv[2] ?? '') as Question;
const kind = [sqlite, ...postgreSql].find(({ name }) => name === database);
if (!kind) throw new Error(`No ${database}: KETHUB_TEST_POSTGRES_URL is not set`);
const platform = await startTestKethub(kind, { KETHUB_RATE_LIMIT_REQUESTS: '0', ...localTargets });
const deployed: Record<string, DeployedWorkflow> = {};
for (const owner of owners) {
  const { client } = await platform.signIn(owner);
  const credentials = { username: 'gateway', password: 'of the provider' };
  const { service } = await deployOnPremise(client, 'Elsewhere', { url, credentials });
  const { chain, end, file, service: task } = bpmn;
  const xml = file([
    start(),
    task('task', { extensions: calls(service.id), in: { sent: '=sent', who: '=who' }, out: { n: '=n' } }),
    end('end', { n: '=n' }),
    chain('start', 'task', 'end'),
  ]);
  const workflow = await deployWorkflow(client, 'One task', xml, [service]);
  const { bearer } = await callerOf(workflow);
  deployed[owner] = { url: `${workflow.endpoint}/`.replace('localhost', '127.0.0.1'), bearer };
}
process.stdout.write(`${JSON.stringify(deployed)}\n`);
await untilInputEnds();
await platform.close();
