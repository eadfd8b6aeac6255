import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  type AnyRoute,
  type RouteComponent,
} from '@tanstack/react-router';
import { Frame } from './shell/frame.tsx';
import { Problem } from './shell/problem.tsx';
import { Home } from './screens/home.tsx';
import { Callback, Landing } from './screens/landing.tsx';
import { Missing } from './screens/missing.tsx';

const root = createRootRoute({ component: Outlet, notFoundComponent: Missing });
/** The pages of a service, each loaded by itself: the page on which it is run must not bring the others along. */
const SERVICE_PAGES = {
  Overview: lazyRouteComponent(() => import('./screens/service/overview.tsx'), 'Overview'),
  RunPage: lazyRouteComponent(() => import('./screens/service/run-page.tsx'), 'RunPage'),
  Versions: lazyRouteComponent(() => import('./screens/service/versions.tsx'), 'Versions'),
  ConfigurationPage: lazyRouteComponent(() => import('./screens/service/configuration-page.tsx'), 'ConfigurationPage'),
  SourcePage: lazyRouteComponent(() => import('./screens/service/source-page.tsx'), 'SourcePage'),
  SpecificationPage: lazyRouteComponent(() => import('./screens/service/specification-page.tsx'), 'SpecificationPage'),
  Provided: lazyRouteComponent(() => import('./screens/service/provided.tsx'), 'Provided'),
  Sharing: lazyRouteComponent(() => import('./screens/service/sharing.tsx'), 'Sharing'),
};
const applicationScreens = () => import('./screens/applications/index.ts');
const profileScreens = () => import('./screens/profile/index.ts');
const dataPoolScreens = () => import('./screens/data-pools/index.ts');
const sharedScreens = () => import('./screens/shared/index.ts');
const modelScreen = () => import('./screens/model/index.ts');
const marketplaceScreens = () => import('./screens/marketplace/index.ts');
const accessScreens = () => import('./screens/access/index.ts');
const usageScreens = () => import('./screens/usage/index.ts');
const auditScreens = () => import('./screens/audit/index.ts');
const providerTokenScreens = () => import('./screens/provider-tokens/index.ts');
const administrationScreens = () => import('./screens/administration/index.ts');
const compareScreens = () => import('./screens/compare/index.ts');
const workflowScreens = () => import('./screens/workflows/index.ts');
const organizationScreens = () => import('./screens/organizations/index.ts');
const implementationScreens = () => import('./screens/implementations/index.ts');
const visitorFrame = () => import('./shell/visitor-frame.tsx');
const executionScreens = () => import('./screens/executions/index.ts');

/** The screens below a context. They are the same for a person and for an organization. */
function screens<Parent extends AnyRoute>(parent: Parent): AnyRoute[] {
  const at = (path: string, component: RouteComponent): AnyRoute =>
    createRoute({ getParentRoute: () => parent, path, component });
  const service = createRoute({
    getParentRoute: () => parent,
    path: 'services/$serviceId',
    component: lazyRouteComponent(() => import('./screens/service/service-page.tsx'), 'ServicePage'),
  });
  const shared = createRoute({
    getParentRoute: () => parent,
    path: 'shared/$serviceId',
    component: lazyRouteComponent(sharedScreens, 'SharedServicePage'),
  });
  const sharedTab = (path: string, name: 'SharedOverview' | 'SharedRun') =>
    createRoute({ getParentRoute: () => shared, path, component: lazyRouteComponent(sharedScreens, name) });
  const tab = (path: string, name: keyof typeof SERVICE_PAGES) =>
    createRoute({ getParentRoute: () => service, path, component: SERVICE_PAGES[name] });
  const accessTab = (path: string, name: 'Limits' | 'ListingPage') =>
    createRoute({ getParentRoute: () => service, path, component: lazyRouteComponent(accessScreens, name) });
  const workflowTab = (path: string, name: 'Instances' | 'InstancePage') =>
    createRoute({ getParentRoute: () => service, path, component: lazyRouteComponent(workflowScreens, name) });
  return [
    at('/', Home),
    at(
      'services',
      lazyRouteComponent(() => import('./screens/services/index.ts'), 'Services'),
    ),
    at(
      'services/new',
      lazyRouteComponent(() => import('./screens/services/index.ts'), 'NewService'),
    ),
    at(
      'services/new/on-premise',
      lazyRouteComponent(() => import('./screens/services/index.ts'), 'NewOnPremise'),
    ),
    service.addChildren([
      tab('/', 'Overview'),
      tab('run', 'RunPage'),
      tab('versions', 'Versions'),
      tab('versions/$version', 'ConfigurationPage'),
      tab('versions/$version/source', 'SourcePage'),
      tab('versions/$version/specification', 'SpecificationPage'),
      tab('executions', 'Provided'),
      tab('sharing', 'Sharing'),
      createRoute({
        getParentRoute: () => service,
        path: 'model',
        component: lazyRouteComponent(modelScreen, 'ModelPage'),
      }),
      accessTab('limits', 'Limits'),
      accessTab('listing', 'ListingPage'),
      workflowTab('instances', 'Instances'),
      workflowTab('instances/$instanceId', 'InstancePage'),
    ]),
    at('workflows', lazyRouteComponent(workflowScreens, 'Workflows')),
    at('incidents', lazyRouteComponent(workflowScreens, 'IncidentsPage')),
    at('implementations', lazyRouteComponent(implementationScreens, 'Implementations')),
    implementationPages(parent, 'implementations/$implementationId', ['edit', 'services', 'settings']),
    at('executions', lazyRouteComponent(executionScreens, 'Executions')),
    at('executions/compare', lazyRouteComponent(compareScreens, 'Compare')),
    at('executions/$executionId', lazyRouteComponent(executionScreens, 'ExecutionPage')),
    at('marketplace', lazyRouteComponent(marketplaceScreens, 'Marketplace')),
    at('marketplace/$serviceId', lazyRouteComponent(marketplaceScreens, 'OfferPage')),
    at('shared', lazyRouteComponent(sharedScreens, 'SharedServices')),
    shared.addChildren([sharedTab('/', 'SharedOverview'), sharedTab('run', 'SharedRun')]),
    at('data-pools', lazyRouteComponent(dataPoolScreens, 'DataPools')),
    at('data-pools/$dataPoolId', lazyRouteComponent(dataPoolScreens, 'DataPoolPage')),
    at('applications', lazyRouteComponent(applicationScreens, 'Applications')),
    at('applications/$applicationId', lazyRouteComponent(applicationScreens, 'ApplicationPage')),
    at('usage', lazyRouteComponent(usageScreens, 'Usage')),
    at('audit', lazyRouteComponent(auditScreens, 'AuditLog')),
    at('provider-tokens', lazyRouteComponent(providerTokenScreens, 'ProviderTokens')),
  ];
}

const IMPLEMENTATION_PAGES = {
  '/': 'Code',
  file: 'FilePage',
  commits: 'Commits',
  'commits/$commit': 'CommitPage',
  branches: 'Branches',
  compare: 'ComparePage',
  edit: 'EditPage',
  services: 'MadeVersions',
  settings: 'Settings',
} as const;
const READING = ['/', 'file', 'commits', 'commits/$commit', 'branches', 'compare'] as const;

/** The pages of one implementation: those that read it, and `others`. */
function implementationPages<Parent extends AnyRoute>(
  parent: Parent,
  path: string,
  others: readonly ('edit' | 'services' | 'settings')[],
): AnyRoute {
  const page = createRoute({
    getParentRoute: () => parent,
    path,
    component: lazyRouteComponent(implementationScreens, 'ImplementationPage'),
  });
  return page.addChildren(
    [...READING, ...others].map((name) =>
      createRoute({
        getParentRoute: () => page,
        path: name,
        component: lazyRouteComponent(implementationScreens, IMPLEMENTATION_PAGES[name]),
      }),
    ),
  );
}

/** The pages of public implementations, for everybody. Their addresses outlive changes of name and owner. */
function visitorPages<Parent extends AnyRoute>(parent: Parent): AnyRoute {
  const frame = createRoute({
    getParentRoute: () => parent,
    path: 'implementations',
    component: lazyRouteComponent(visitorFrame, 'VisitorFrame'),
  });
  const list = createRoute({
    getParentRoute: () => frame,
    path: '/',
    component: lazyRouteComponent(implementationScreens, 'PublicImplementations'),
  });
  return frame.addChildren([list, implementationPages(frame, '$implementationId', [])]);
}

/** The screens about the person, whatever the context. */
function ownScreens<Parent extends AnyRoute>(parent: Parent): AnyRoute[] {
  const page = createRoute({
    getParentRoute: () => parent,
    id: 'self',
    component: lazyRouteComponent(profileScreens, 'ProfilePage'),
  });
  const tab = (path: string, name: 'Profile' | 'Tokens') =>
    createRoute({ getParentRoute: () => page, path, component: lazyRouteComponent(profileScreens, name) });
  const organizations = createRoute({
    getParentRoute: () => parent,
    path: 'organizations',
    component: lazyRouteComponent(organizationScreens, 'Organizations'),
  });
  const administration = createRoute({
    getParentRoute: () => parent,
    path: 'administration',
    component: lazyRouteComponent(administrationScreens, 'Administration'),
  });
  return [page.addChildren([tab('profile', 'Profile'), tab('tokens', 'Tokens')]), organizations, administration];
}

const me = createRoute({ getParentRoute: () => root, path: 'me', component: Frame });
const organization = createRoute({ getParentRoute: () => root, path: 'org/$organizationId', component: Frame });
/** The organization itself, which a person alone has not. */
const members = createRoute({
  getParentRoute: () => organization,
  path: 'organization',
  component: lazyRouteComponent(organizationScreens, 'OrganizationPage'),
});

export const router = createRouter({
  routeTree: root.addChildren([
    createRoute({ getParentRoute: () => root, path: '/', component: Landing }),
    createRoute({ getParentRoute: () => root, path: 'callback', component: Callback }),
    visitorPages(root),
    me.addChildren([...screens(me), ...ownScreens(me)]),
    organization.addChildren([...screens(organization), members]),
  ]),
  defaultErrorComponent: ({ error, reset }) => <Problem error={error} onRetry={reset} />,
  scrollRestoration: false,
});
