import type { Shown } from './example-resources.ts';

/** The router of the dashboard itself. Its sources are checked with the types of a browser, so they are named by a value. */
const ROUTES = '../src/routes.tsx';
const { router } = (await import(ROUTES)) as { readonly router: { readonly routesByPath: object } };
const pathsOfRouter: readonly string[] = Object.keys(router.routesByPath);

/** Examples for the parameters of a path below a context, and what its address has beside them. */
const examples: Readonly<Record<string, (shown: Shown) => string>> = {
  '/services/$serviceId/versions/$version': ({ service, draft }) => `/services/${service}/versions/${draft}`,
  '/services/$serviceId/versions/$version/source': ({ service }) => `/services/${service}/versions/1.0.0/source`,
  '/services/$serviceId/versions/$version/specification': ({ service, draft }) =>
    `/services/${service}/versions/${draft}/specification`,
  '/services/$serviceId/run': ({ service, executions }) => `/services/${service}/run?execution=${executions[0]}`,
  '/services/$serviceId/model': ({ workflow }) => `/services/${workflow}/model`,
  '/services/$serviceId/instances': ({ workflow }) => `/services/${workflow}/instances`,
  '/services/$serviceId/instances/$instanceId': (shown) => `/services/${shown.workflow}/instances/${shown.instance}`,
  '/shared/$serviceId': ({ shared }) => `/shared/${shared}`,
  '/shared/$serviceId/run': ({ shared }) => `/shared/${shared}/run`,
  '/executions/$executionId': ({ executions }) => `/executions/${executions[0]}`,
  '/executions/compare': ({ executions: [one, other] }) => `/executions/compare?first=${one}&second=${other}`,
  '/data-pools/$dataPoolId': ({ dataPool }) => `/data-pools/${dataPool}`,
  '/applications/$applicationId': ({ application }) => `/applications/${application}`,
  '/implementations/$implementationId/file': (shown) =>
    `/implementations/${shown.implementation}/file?path=src/program.py`,
  '/implementations/$implementationId/commits/$commit': (shown) =>
    `/implementations/${shown.implementation}/commits/${shown.commit}`,
};

/** The path below its context of every route of the router that lies in one, such as `/services/$serviceId`. */
export function pathsBelow(context: '/me' | '/org/$organizationId'): readonly string[] {
  return pathsOfRouter
    .filter((path) => path === context || path.startsWith(`${context}/`))
    .map((path) => path.slice(context.length));
}

/** Paths of the router that lie in no context. */
export function pathsOutside(): readonly string[] {
  return pathsOfRouter.filter((path) => !/^\/(?:me|org)(?:\/|$)/.test(path));
}

/** An address for a path below a context. A path whose parameters have no example is an error: add one. */
export function addressOf(path: string, shown: Shown): string {
  const address = (examples[path] ?? defaultOf(path))(shown);
  if (address.includes('$')) throw new Error(`${path} needs an example of its parameters, in addresses.ts`);
  return address;
}

/** Parameters that mean the same thing wherever they stand. */
function defaultOf(path: string): (shown: Shown) => string {
  return ({ service, implementation }) =>
    path
      .replace('/services/$serviceId', `/services/${service}`)
      .replace('/marketplace/$serviceId', `/marketplace/${service}`)
      .replace('/implementations/$implementationId', `/implementations/${implementation}`);
}
