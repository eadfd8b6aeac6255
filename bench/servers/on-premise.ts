import { sqlite } from '../../apps/server/src/testing/databases.ts';
import { callerOf } from '../../apps/server/src/testing/gateway.ts';
import { startTestKethub } from '../../apps/server/src/testing/kethub.ts';
import { deployOnPremise, localTargets } from '../../apps/server/src/testing/on-premise.ts';
import { untilInputEnds } from './until-input-ends.ts';

export interface OnPremiseReady {
  /** Address at the gateway, with a slash at its end. */
  readonly url: string;
  readonly bearer: string;
}

// A whole platform on SQLite with a service that runs at the address in the argument.
const { url } = JSON.parse(process.argv[2] ?? '') as { url: string };
const platform = await startTestKethub(sqlite, { KETHUB_RATE_LIMIT_REQUESTS: '0', ...localTargets });
const service = await deployOnPremise(platform.client, 'Elsewhere', {
  url,
  credentials: { username: 'gateway', password: 'of the provider' },
});
const { bearer } = await callerOf(service);
const ready: OnPremiseReady = { url: `${service.endpoint}/`.replace('localhost', '127.0.0.1'), bearer };
process.stdout.write(`${JSON.stringify(ready)}\n`);
await untilInputEnds();
await platform.close();
