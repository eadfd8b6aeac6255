import { limits as contractLimits } from '@kethub/contract';
import type { FastifyInstance } from 'fastify';
import type { AccessDirectory } from '../../catalog/access/index.ts';
import type { Executions } from '../executions/index.ts';
import {
  acceptBodies,
  createHttpServer,
  limitedAdmission,
  mount,
  RateLimits,
  Problem,
  readForm,
} from '../../foundation/http/index.ts';
import { createForwarder, type ServiceAddress } from '../../catalog/on-premise/index.ts';
import type { Platform } from '../../foundation/platform.ts';
import { RequestObserver } from '../../foundation/telemetry/index.ts';
import { createAdmission, retirementHeaders } from './admission.ts';
import { createBearers } from './bearer.ts';
import { gatewayEndpoints, type GatewayCaller } from './routes.ts';
import { createDispatch } from './dispatch.ts';
import { gatewayKeys } from './signing-key.ts';
import { createTokenEndpoint } from './token.ts';

/** Bytes of the body of a token request. A longer one is refused with 413. */
const TOKEN_BODY_BYTES = 16 * 1024;

/**
 * The form of a token request, or what is wrong with it: the token endpoint answers its own errors (RFC 6749, section
 * 5.2).
 */
function formOrProblem(bytes: Buffer): URLSearchParams | Problem {
  try {
    return readForm(bytes);
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
}

/** The gateway: the token endpoint and the services. */
export async function createGateway(
  platform: Platform,
  executions: Executions,
  directory: AccessDirectory,
): Promise<FastifyInstance> {
  const keys = await gatewayKeys(platform);
  const bearers = createBearers(keys, platform.addresses.gateway, platform.newId);
  const admitSubscriber = createAdmission(platform, bearers, directory);
  const limits = {
    rates: new RateLimits(platform.configuration.rateLimits, platform.now),
    nameOf: (caller: GatewayCaller) => caller?.applicationId ?? null,
    ownOf: (caller: GatewayCaller) =>
      caller?.limits.requestsPerMinute ? { key: caller.subscriptionId, units: caller.limits.requestsPerMinute } : null,
  };
  const forwarder = createForwarder(platform);
  const observer = RequestObserver.of(platform.telemetry, 'gateway');
  const dispatch = createDispatch(platform, forwarder, observer, (path) =>
    limitedAdmission((request) => admitSubscriber('STARTER', request, path), limits, undefined),
  );
  const app = await createHttpServer({
    log: platform.log,
    problemsUrl: platform.addresses.problems,
    title: 'Kethub service gateway',
    description: 'Applications request bearer tokens here and call the services that they are subscribed to.',
    serverUrl: platform.addresses.gateway,
    securitySchemes: {
      basic: { type: 'http', scheme: 'basic', description: 'Access Key ID and Secret Access Key.' },
      bearer: { type: 'http', scheme: 'bearer', description: 'Token from the token endpoint.' },
    },
    trustedProxies: platform.configuration.trustedProxies,
    connections: platform.connections,
    slowestBody: platform.configuration.connections.bytesPerSecond,
    bodyMemoryBytes: platform.configuration.bodyMemoryBytes,
    unrouted: (...asked) => dispatch.unrouted(...asked),
    observer,
    slowReaderMs: platform.configuration.readers.slowMs,
  });
  // Input stays bytes here. `executions.start` parses and validates it once.
  app.removeContentTypeParser('application/json');
  acceptBodies(app, {
    media: 'application/json',
    bytes: contractLimits.executionInputBytes,
    parse: (bytes) => bytes,
  });
  acceptBodies(app, { media: 'application/x-www-form-urlencoded', bytes: TOKEN_BODY_BYTES, parse: formOrProblem });
  app.addHook('onClose', async () => {
    await keys.close();
    forwarder.close();
  });
  mount(app, gatewayEndpoints(platform, createTokenEndpoint(platform, bearers, directory), executions), {
    prefix: '',
    admit: async (access, request) =>
      // The router has matched these parameters in every path but that of the token endpoint.
      access === 'CLIENT' ? null : admitSubscriber(access, request, request.params as ServiceAddress),
    security: (access) => [access === 'CLIENT' ? { basic: [] } : { bearer: [] }],
    announce: (caller, reply) => {
      if (caller?.retirement) reply.headers(retirementHeaders(caller.retirement));
    },
    limits,
    divert: dispatch.divert,
  });
  app.get('/openapi.json', { schema: { hide: true } }, () => app.swagger());
  return app;
}
