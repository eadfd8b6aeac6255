import { setTimeout as pause } from 'node:timers/promises';
import { messageOf } from '../errors.ts';
import { ClusterAway, ClusterRefusal, linesOf, type ClusterApi } from './api.ts';
import { listAll } from './list-all.ts';
import { LABELS } from './objects.ts';
import type { Pod } from './pod.ts';

/** Seconds after which the API server ends a watch. The next one continues where it ended. */
const WATCH_SECONDS = 240;
/** Seconds after which we end it ourselves. */
const LATE_SECONDS = 30;
/** Milliseconds until the next attempt to reach the API server: the first, and the longest. */
const AGAIN_MS = 250;
const LONGEST_PAUSE_MS = 10_000;

/** Receives each state of the pods of one job; null when a pod is gone. */
export type PodListener = (pod: Pod | null, uid: string) => void;

interface Event {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  readonly object: Pod & { readonly code?: number; readonly message?: string };
}

/** The watch must begin anew with a list: its place in the history of the cluster is gone. */
class HistoryGone extends Error {}

/** Follows all pods of an installation with one list and one watch, through every loss of the API server. */
export class Pods {
  readonly #api: ClusterApi;
  readonly #installation: string;
  readonly #listeners = new Map<string, PodListener>();
  /** Pods as last seen, by uid. */
  readonly #known = new Map<string, Pod>();
  readonly #warn: (line: string) => void;
  /** Place in the history of the cluster up to which events have come; null when a list must come first. */
  #version: string | null = null;
  #stopped: AbortController | null = null;
  #away: string | null = null;

  constructor(api: ClusterApi, installation: string, warn: (line: string) => void) {
    this.#api = api;
    this.#installation = installation;
    this.#warn = warn;
  }

  /** Reason why the cluster could not be asked the last time; null if it could, and while nothing asks it. */
  get away(): string | null {
    return this.#away;
  }

  /** Follows the pods of a job until the returned function is called. Pods that are known already come at once. */
  follow(job: string, listener: PodListener): () => void {
    this.#listeners.set(job, listener);
    if (this.#stopped === null) {
      this.#stopped = new AbortController();
      void this.#live(this.#stopped.signal);
    }
    for (const pod of this.#known.values())
      if (jobOf(pod) === job) queueMicrotask(() => this.#listeners.get(job)?.(pod, pod.metadata.uid));
    return () => {
      if (this.#listeners.get(job) === listener) this.#listeners.delete(job);
      if (this.#listeners.size === 0) this.close();
    };
  }

  close(): void {
    this.#stopped?.abort();
    this.#stopped = null;
    // Nothing asks the cluster any more.
    this.#away = null;
    this.#known.clear();
  }

  async #live(signal: AbortSignal): Promise<void> {
    this.#version = null;
    for (let failures = 0; !signal.aborted;) {
      try {
        this.#version ??= await this.#list(signal);
        this.#reached();
        failures = 0;
        await this.#watch(this.#version, signal);
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof HistoryGone) this.#version = null;
        else this.#lose(error);
        failures += 1;
        await pause(Math.min(LONGEST_PAUSE_MS, AGAIN_MS * 2 ** Math.min(failures, 10)), null, { signal }).catch(
          () => undefined,
        );
      }
    }
  }

  async #list(signal: AbortSignal): Promise<string> {
    const { items, version } = await listAll<Pod>(this.#api, 'pods', this.#selector(), signal);
    const found = new Map(items.map((pod) => [pod.metadata.uid, pod]));
    for (const pod of found.values()) this.#see(pod);
    for (const pod of this.#known.values()) if (!found.has(pod.metadata.uid)) this.#miss(pod);
    return version;
  }

  async #watch(from: string, signal: AbortSignal): Promise<void> {
    const query = {
      labelSelector: this.#selector(),
      watch: true,
      allowWatchBookmarks: true,
      resourceVersion: from,
      timeoutSeconds: WATCH_SECONDS,
    };
    // A connection that the network has forgotten would be waited for for ever.
    const late = AbortSignal.timeout((WATCH_SECONDS + LATE_SECONDS) * 1_000);
    let answer;
    try {
      answer = await this.#api.open('GET', 'pods', { query, signal: AbortSignal.any([signal, late]) });
    } catch (error) {
      if (error instanceof ClusterRefusal && error.status === 410) throw new HistoryGone();
      throw error;
    }
    for await (const line of linesOf(answer)) {
      if (signal.aborted) return;
      const { type, object } = JSON.parse(line.toString('utf8')) as Event;
      if (type === 'ERROR') {
        if (object.code === 410) throw new HistoryGone();
        throw new ClusterAway(`The watch of pods ended: ${object.message ?? 'without a reason'}`);
      }
      this.#version = object.metadata.resourceVersion ?? this.#version;
      if (type === 'DELETED') {
        // The last state comes with it, and may report the end of the program.
        this.#see(object);
        this.#miss(object);
      } else if (type !== 'BOOKMARK') this.#see(object);
    }
  }

  #see(pod: Pod): void {
    this.#known.set(pod.metadata.uid, pod);
    this.#listeners.get(jobOf(pod))?.(pod, pod.metadata.uid);
  }

  #miss(pod: Pod): void {
    this.#known.delete(pod.metadata.uid);
    this.#listeners.get(jobOf(pod))?.(null, pod.metadata.uid);
  }

  #selector(): string {
    return `${LABELS.installation}=${this.#installation}`;
  }

  #lose(error: unknown): void {
    if (this.#away === null) this.#warn(`pods cannot be followed at the moment, executions go on: ${messageOf(error)}`);
    this.#away = messageOf(error);
  }

  #reached(): void {
    if (this.#away !== null) this.#warn('pods are followed again');
    this.#away = null;
  }
}

function jobOf(pod: Pod): string {
  return pod.metadata.labels?.[LABELS.job] ?? '';
}
