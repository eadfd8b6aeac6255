import { sqlite } from '@kethub/server/testing/databases';
import { callerOf } from '@kethub/server/testing/gateway';
import { startTestKethub } from '@kethub/server/testing/kethub';
import { deployOnPremise, localTargets } from '@kethub/server/testing/on-premise';
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
