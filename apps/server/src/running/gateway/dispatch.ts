import type { FastifyReply, FastifyRequest } from 'fastify';
import { observeDiverted, type Admission, type Divert } from '../../foundation/http/index.ts';
import { countExecution, hasQuota, uncountExecution } from '../../catalog/limits/index.ts';
import { serviceAddressOf, type Forwarder, type ServiceAddress } from '../../catalog/on-premise/index.ts';
import type { Platform } from '../../foundation/platform.ts';
import type { RequestObserver } from '../../foundation/telemetry/index.ts';
import type { Pass } from './pass.ts';
import type { GatewayCaller } from './routes.ts';
import { besideOthers } from './start-execution.ts';

/** Sends calls of services that run elsewhere to them, whatever their method and path. All others go on as they are. */
export interface Dispatch {
  /** For requests that fit an operation of managed services. */
  readonly divert: Divert<GatewayCaller>;
  /** For requests that fit none: they are refused as ever unless the service runs elsewhere. */
  unrouted(request: FastifyRequest, reply: FastifyReply, refuse: () => void, fail: (error: Error) => void): void;
}

export function createDispatch(
  platform: Platform,
  forwarder: Forwarder,
  observer: RequestObserver | null,
  admissionTo: (address: ServiceAddress) => Admission<Pass>,
): Dispatch {
  const divert: Dispatch['divert'] = (caller, request, reply, fail) => {
    if (!caller?.target) return false;
    if (caller.retirement) reply.headers(caller.retirement.headers);
    const { target, scope, applicationId } = caller;
    const { subscriptionId } = caller.subscriber;
    const call = { target, endpoint: scope.address, subscriptionId, applicationId };
    if (!isCounted(caller, request)) forwarder.forward(call, request, reply, fail);
    else
      count(platform, caller, reply).then(
        (takeBack) =>
          forwarder.forward(call, request, reply, (error, mayHaveReached) => {
            if (mayHaveReached) fail(error);
            else void takeBack().finally(() => fail(error));
          }),
        (error: Error) => {
          // The body is not read any more, and may be long.
          reply.header('connection', 'close');
          fail(error);
        },
      );
    return true;
  };
  return {
    divert,
    unrouted(request, reply, refuse, fail) {
      const address = serviceAddressOf(request.raw.url ?? '/');
      if (!address) return refuse();
      observer?.unrouted(request, '/:owner/:service/:version/*');
      const admitted = admit(admissionTo(address), request, reply);
      admitted.then((caller) => {
        if (divert(caller, request, reply, fail)) observeDiverted(request, reply);
        else refuse();
      }, fail);
    },
  };
}

/**
 * What a quota of executions counts of a service that runs elsewhere: each POST, the method that starts an execution of a
 * managed service. Reading, cancelling and deleting stay possible when it is used up.
 */
function isCounted({ limits }: Pass, { method }: FastifyRequest): boolean {
  return method === 'POST' && hasQuota(limits);
}

/**
 * Throws quota-exceeded. Counted before the call is made: whether the provider has worked on it is not always known.
 * Returns how to take it back when it has certainly not.
 */
async function count(platform: Platform, caller: Pass, reply: FastifyReply): Promise<() => Promise<void>> {
  const { database, log } = platform;
  const { limits } = caller;
  const { subscriptionId } = caller.subscriber;
  const now = platform.now();
  const fields = await database.write((transaction) => countExecution(transaction, subscriptionId, limits, now));
  const before = Object.keys(fields).map((name) => [name, reply.getHeader(name)] as const);
  reply.headers(besideOthers(fields, reply));
  return async () => {
    for (const [name, value] of before) {
      if (value === undefined) reply.removeHeader(name);
      else reply.header(name, value);
    }
    try {
      await database.write((transaction) => uncountExecution(transaction, subscriptionId, now));
    } catch (error) {
      log.warn({ err: error, subscriptionId }, 'could not take back the count of a call that reached nobody');
    }
  };
}

/** As a promise also when it is refused at once. */
async function admit(admission: Admission<Pass>, request: FastifyRequest, reply: FastifyReply): Promise<Pass> {
  return admission(request, reply);
}
