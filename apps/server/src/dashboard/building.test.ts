import Fastify from 'fastify';
import { expect, test } from 'vitest';
import { testLog } from '../testing/log.ts';
import { Dashboard } from './dashboard.ts';
import { orDashboard, serveDashboard } from './routes.ts';

/** A dashboard with this setting, as a platform opens it. */
function open(dashboard: unknown) {
  return Dashboard.open({ configuration: { dashboard }, log: testLog } as unknown as Parameters<
    typeof Dashboard.open
  >[0]);
}

test('off, there is none', () => expect(open('off')).toBeNull());

test('until it is ready, and where it cannot be opened, the plain page answers', async () => {
  const dashboard = open({ folder: '/nowhere' });
  if (!dashboard) throw new Error('Expected a dashboard');
  expect(dashboard.isBuilding).toBe(true);
  const app = Fastify();
  const plain = (): string => (dashboard.isBuilding ? 'being built' : 'plain');
  serveDashboard(app, dashboard, plain);
  app.get('/', orDashboard(dashboard, plain));
  expect((await app.inject('/me/services')).body).toBe('being built');
  await dashboard.opened;
  expect((await app.inject('/')).body).toBe('plain');
  expect((await app.inject('/assets/a.js')).statusCode).toBe(404);
  await dashboard.close();
});
