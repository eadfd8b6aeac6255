import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { createPlatformClient, isBuilt, signInWithPassword, type PlatformClient, serviceForm } from '@kethub/client';
import type { Application, Service, Subscription } from '@kethub/contract';
import type { WholeKethub } from '../kethub.ts';
import { demoAccount, type DemoAccount } from './account.ts';
import { zipOf } from './archive.ts';
import type { Narrator } from './narrator.ts';

const EXAMPLE = path.resolve(import.meta.dirname, '../../../../examples/maxcut');
const SERVICE = 'Max-Cut';
const APPLICATION = 'Demo application';

/** The addresses, credentials and input with which the demo's service is called. */
export interface Demo {
  readonly account: DemoAccount;
  readonly tokenEndpoint: string;
  readonly endpoint: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** The input of the example, as it is sent. */
  readonly input: Record<string, unknown>;
}

/**
 * Prepares the demo as its user would, over HTTP. Every step first looks for what is there, so that a start that was
 * cut off is completed by the next one.
 */
export async function prepareDemo(kethub: WholeKethub, narrator: Narrator): Promise<Demo> {
  const { api, auth } = kethub.platform.addresses;
  const account = await demoAccount(kethub);
  narrator.step(`user ${account.username}`);
  const loginSession = await signInWithPassword({ authUrl: auth, ...account });
  const client = createPlatformClient({ baseUrl: api, credential: { loginSession } });
  const service = await publishedService(client, narrator);
  const application =
    (await client.listApplications()).find(({ name }) => name === APPLICATION) ??
    (await client.createApplication({ json: { name: APPLICATION } }));
  const subscription = await subscriptionOf(client, application, service);
  narrator.step(`application “${APPLICATION}”, subscribed to it`);
  const [key] = application.accessKeys;
  if (!key) throw new Error('The demo application has no access key');
  return {
    account,
    tokenEndpoint: application.tokenEndpoint,
    endpoint: subscription.endpoint,
    accessKeyId: key.accessKeyId,
    secretAccessKey: (await client.revealSecretAccessKey({ applicationId: application.id, keyId: key.id }))
      .secretAccessKey,
    input: await exampleInput(),
  };
}

async function exampleInput(): Promise<Record<string, unknown>> {
  const read = async (name: string): Promise<unknown> =>
    JSON.parse(await readFile(path.join(EXAMPLE, 'input', name), 'utf8'));
  return { data: await read('data.json'), params: await read('params.json') };
}

async function publishedService(client: PlatformClient, narrator: Narrator): Promise<Service> {
  const existing = (await client.listServices()).find(({ name }) => name === SERVICE);
  const service =
    existing ??
    (await client.createService({
      body: serviceForm({
        name: SERVICE,
        description: 'Maximum cut of a weighted graph by simulated annealing.',
        source: await zipOf(EXAMPLE),
      }),
    }));
  const [version] = service.versions;
  if (!version) throw new Error('The demo service has no version');
  if (version.state === 'DRAFT') {
    await followBuild(client, service.id, version.version, narrator);
    await client.publishServiceVersion({
      serviceId: service.id,
      version: version.version,
      json: { visibility: 'INTERNAL' },
    });
  }
  narrator.step(`service ${SERVICE} ${version.version} from examples/maxcut, built and published internally`);
  return service;
}

async function followBuild(client: PlatformClient, id: string, version: string, narrator: Narrator): Promise<void> {
  for await (const { entry } of client.followBuildLog({ serviceId: id, version })) narrator.log(entry);
  for await (const build of client.watchBuild({ serviceId: id, version })) {
    if (isBuilt(build) && build.problem)
      throw new Error(`The demo service could not be built. ${build.problem.title}: ${build.problem.detail}`);
  }
}

async function subscriptionOf(
  client: PlatformClient,
  application: Application,
  service: Service,
): Promise<Subscription> {
  const subscriptions = await client.listSubscriptions({ applicationId: application.id });
  return (
    subscriptions.find(({ serviceId }) => serviceId === service.id) ??
    (await client.subscribe({ applicationId: application.id, json: { serviceId: service.id } }))
  );
}
