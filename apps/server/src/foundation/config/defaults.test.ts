import { expect, test } from 'vitest';
import { readConfiguration } from './index.ts';

test('a fresh installation is protected', () => {
  const { rateLimits, connections, bodyMemoryBytes } = readConfiguration({});
  expect(rateLimits).toEqual({ lookups: 1_000, requests: 30_000 });
  expect(connections).toMatchObject({ ofAddress: 1_000, bytesPerSecond: 1_000 });
  expect(connections.inAll).toBeGreaterThanOrEqual(16);
  expect(connections.inAll).toBeLessThanOrEqual(10_000);
  expect(bodyMemoryBytes).toBe(512 * 1024 * 1024);
});
