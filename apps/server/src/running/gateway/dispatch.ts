import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Subscriber } from '../../catalog/access/index.ts';
import { countExecution, hasQuota, uncountExecution } from '../../catalog/limits/index.ts';
import { serviceAddressOf, type Forwarder, type ServiceAddress } from '../../catalog/on-premise/index.ts';
import { observeDiverted, type Admission, type Divert } from '../../foundation/http/index.ts';
import type { Platform } from '../../foundation/platform.ts';
import type { RequestObserver } from '../../foundation/telemetry/index.ts';
import { retirementHeaders } from './admission.ts';
import { appendQuota } from './count-starts.ts';
import type { GatewayCaller } from './routes.ts';

/** Forwards calls of on-premise services, with any method and path. */
interface Dispatch {
  /** Takes over requests that match an operation of managed services. */
  readonly divert: Divert<GatewayCaller>;
  /** Takes over requests that match no operation. Refuses them unless the service is on-premise. */
  unrouted(request: FastifyRequest, reply: FastifyReply, refuse: () => void, fail: (error: Error) => void): void;
}

export function createDispatch(
  platform: Platform,
  forwarder: Forwarder,
  observer: RequestObserver | null,
  admissionTo: (address: ServiceAddress) => Admission<Subscriber>,
): Dispatch {
  const divert: Dispatch['divert'] = (caller, request, reply, fail) => {
    if (!caller?.target) return false;
    if (caller.retirement) reply.headers(retirementHeaders(caller.retirement));
    const { target, address, subscriptionId, applicationId } = caller;
    const call = { target, endpoint: address, subscriptionId, applicationId };
    if (!isCounted(caller, request)) forwarder.forward(call, request, reply, fail);
    else
      count(platform, caller, reply).then(
        (takeBack) =>
          forwarder.forward(call, request, reply, (error, mayHaveReached) => {
            if (mayHaveReached) fail(error);
            else void takeBack().finally(() => fail(error));
          }),
        (error: Error) => {
          // The connection closes, because the rest of the body is not read and may be long.
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
      admissionTo(address)(request, reply).then((caller) => {
        if (divert(caller, request, reply, fail)) observeDiverted(request, reply);
        else refuse();
      }, fail);
    },
  };
}

/**
 * Returns whether a quota of executions counts a request to an on-premise service. It counts each POST, which starts
 * executions of managed services. Reading, cancelling and deleting stay possible when the quota is used up.
 */
function isCounted({ limits }: Subscriber, { method }: FastifyRequest): boolean {
  return method === 'POST' && hasQuota(limits);
}

/**
 * Counts a call before it is made, because the gateway cannot always know whether the provider has worked on it.
 * Returns a function that takes the count back. Throws quota-exceeded.
 */
async function count(platform: Platform, caller: Subscriber, reply: FastifyReply): Promise<() => Promise<void>> {
  const { database, log } = platform;
  const { limits, subscriptionId } = caller;
  const now = platform.now();
  const fields = await database.write((transaction) => countExecution(transaction, subscriptionId, limits, now));
  const before = Object.keys(fields).map((name) => [name, reply.getHeader(name)] as const);
  reply.headers(appendQuota(fields, reply));
  return async () => {
    for (const [name, value] of before) {
      if (value === undefined) reply.removeHeader(name);
      else reply.header(name, value);
    }
    try {
      await database.write((transaction) => uncountExecution(transaction, subscriptionId, now));
    } catch (error) {
      log.warn(
        { err: error, subscriptionId },
        'could not take back the count of a call that did not reach its service',
      );
    }
  };
}
