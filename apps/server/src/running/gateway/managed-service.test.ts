import { expect } from 'vitest';
import { describeManagedService } from '../../testing/conformance.ts';
import { callerOf } from '../../testing/gateway.ts';
import { installations } from '../../testing/installations.ts';
import { deploy } from '../../testing/kethub.ts';
import { probe } from '../../testing/probe.ts';

for (const { name, start } of installations())
  describeManagedService(name, async () => {
    const platform = await start({ KETHUB_MAX_CONCURRENT_EXECUTIONS: '2' });
    const service = await deploy(platform.client, 'Probe', probe);
    return {
      endpoint: service.endpoint,
      app: await callerOf(service, platform),
      ids: {
        type: 'MANAGED',
        serviceId: service.service.id,
        serviceDefinitionId: expect.any(String) as string,
        applicationId: service.application.id,
      },
      at: (address) => platform.at(address),
      leftovers: async () => platform.keptByRunner(),
      async stored(id) {
        const row = await platform.platform.database.read
          .selectFrom('executions')
          .selectAll()
          .where('id', '=', id)
          .executeTakeFirstOrThrow();
        expect(row.sealed_secrets).toBeNull();
        return JSON.stringify(row);
      },
      close: () => platform.close(),
    };
  });
