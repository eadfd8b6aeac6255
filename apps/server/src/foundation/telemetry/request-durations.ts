import { Histogram, type MetricObjectWithValues, type MetricValueWithName, type Registry } from 'prom-client';

declare module 'prom-client' {
  // A registry calls this for the text of a scrape. The published types leave it out.
  interface Histogram<T extends string> {
    getForPromString(): Promise<MetricObjectWithValues<SharingValue<T>>>;
  }
}

/** A value that shares a part of its labels with others. */
type SharingValue<T extends string> = MetricValueWithName<T> & {
  readonly sharedLabels: Readonly<Record<string, string>>;
};

const SECONDS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30, 60];
const MILLISECONDS = SECONDS.map((seconds) => seconds * 1000);
const NAME = 'kethub_http_request_duration_seconds';

type Label = 'interface' | 'method' | 'route' | 'status' | 'le';

interface RouteLabels {
  readonly interface: string;
  readonly method: string;
  /** Path with placeholders, so that each endpoint is one route. */
  readonly route: string;
}

/**
 * A histogram of request durations by route and class of status. For each observation prom-client builds and hashes a
 * text of the labels (2 µs), which is too much for status reads of 26 µs. Here each route has counters, and texts are
 * built at a scrape.
 */
export class RequestDurations extends Histogram<Label> {
  readonly #routes: RouteDurations[] = [];

  constructor(registers: Registry[]) {
    super({
      name: NAME,
      help: 'Time from the arrival of a request until its answer begins, waiting for `Prefer: wait` included',
      labelNames: ['interface', 'method', 'route', 'status'],
      buckets: SECONDS,
      registers,
    });
  }

  route(labels: RouteLabels): RouteDurations {
    const known = this.#routes.find(({ labels: of }) => sameLabels(of, labels));
    if (known) return known;
    const route = new RouteDurations(labels);
    this.#routes.push(route);
    return route;
  }

  override async getForPromString(): Promise<MetricObjectWithValues<SharingValue<Label>>> {
    const values = this.#routes.flatMap((route) => route.values());
    return { ...(await super.getForPromString()), values };
  }
}

/** Counters of one route. */
export class RouteDurations {
  readonly labels: RouteLabels;
  /** By class of status, 1 to 5: the count of each bucket, the count beyond the last bound, and the sum in seconds. */
  readonly #classes: (Float64Array | undefined)[] = [];

  constructor(labels: RouteLabels) {
    this.labels = labels;
  }

  observe(status: number, milliseconds: number): void {
    const of = Math.trunc(status / 100);
    const counters = (this.#classes[of] ??= new Float64Array(MILLISECONDS.length + 2));
    let bucket = 0;
    while (bucket < MILLISECONDS.length && milliseconds > (MILLISECONDS[bucket] ?? Infinity)) bucket++;
    counters[bucket] = (counters[bucket] ?? 0) + 1;
    const sum = MILLISECONDS.length + 1;
    counters[sum] = (counters[sum] ?? 0) + milliseconds / 1000;
  }

  values(): SharingValue<Label>[] {
    return this.#classes.flatMap((counters, of) => (counters ? this.#valuesOf(counters, `${of}xx`) : []));
  }

  #valuesOf(counters: Float64Array, status: string): SharingValue<Label>[] {
    const sharedLabels = { ...this.labels, status };
    let count = 0;
    const buckets = [...SECONDS, '+Inf'].map((le, index) => {
      count += counters[index] ?? 0;
      return { metricName: `${NAME}_bucket`, value: count, labels: { le }, sharedLabels };
    });
    const sum = counters[SECONDS.length + 1] ?? 0;
    return [
      ...buckets,
      { metricName: `${NAME}_sum`, value: sum, labels: {}, sharedLabels },
      { metricName: `${NAME}_count`, value: count, labels: {}, sharedLabels },
    ];
  }
}

function sameLabels(one: RouteLabels, other: RouteLabels): boolean {
  return one.interface === other.interface && one.method === other.method && one.route === other.route;
}
