import {
  boundary,
  call,
  catchEvent,
  chain,
  end,
  error,
  errorEnd,
  eventSubProcess,
  file,
  flow,
  gateway,
  message,
  process,
  script,
  service,
  signal,
  start,
  subProcess,
  task,
  terminateEnd,
  throwSignal,
  timer,
  type Loop,
} from '../testing/xml.ts';
import type { Random } from './random.ts';

/** A piece with one way in and one way out. */
interface Block {
  readonly parts: readonly string[];
  readonly first: string;
  readonly last: string;
}

/** The surroundings of a block. */
interface Surroundings {
  readonly depth: number;
  /** No parallel join around it in its scope waits for its token: it may be lost. */
  readonly mayDie: boolean;
  /** In a sub-process, whose host or event sub-process can catch what it throws. */
  readonly inSub: boolean;
}

/** Fails until `mended` is set. */
const MENDED = '=assert(v0, mended = true)';

const single = (id: string, part: string): Block => ({ parts: [part], first: id, last: id });

/** Writes random processes of every element that is run here. All of them can end, whatever happens. */
export class Generator {
  readonly #random: Random;
  readonly #messages: Record<string, string> = {};
  readonly #signals: string[] = [];
  readonly #processes: string[] = [];
  #count = 0;
  /** Number of elements that may still be written. */
  #left: number;

  constructor(random: Random, size: number) {
    this.#random = random;
    this.#left = size;
  }

  file(): string {
    const body = this.#scope('root', { depth: 0, mayDie: true, inSub: false }, true);
    return file(body, {
      messages: this.#messages,
      signals: this.#signals,
      errors: ['SERVICE_FAILED', 'OWN', 'OTHER'],
      processes: this.#processes,
    });
  }

  #id(kind: string): string {
    this.#left--;
    return `${kind}${this.#count++}`;
  }

  /** Start event, block, end event, and now and then event sub-processes. */
  #scope(name: string, surroundings: Surroundings, root = false): string[] {
    const [first, last] = [this.#id(`${name}Start`), this.#id(`${name}End`)];
    const block = this.#sequence(surroundings);
    const out = root ? { total: '=v0', 'nested.deep': '=v1' } : {};
    return [
      start(first),
      ...block.parts,
      end(last, out),
      flow(first, block.first),
      flow(block.last, last),
      ...(this.#random.chance(0.15) && surroundings.depth < 3 ? this.#eventSubProcess(surroundings) : []),
    ];
  }

  #eventSubProcess(surroundings: Surroundings): string[] {
    const inner = { depth: surroundings.depth + 2, mayDie: true, inSub: surroundings.inSub };
    const block = this.#block(inner);
    const [id, first, last] = [this.#id('esp'), this.#id('espStart'), this.#id('espEnd')];
    const kind = this.#random.of(['timer', 'message', 'signal', 'error'] as const);
    const interrupting = kind === 'error' || this.#random.chance(0.5);
    const definition =
      kind === 'timer'
        ? this.#timer(interrupting)
        : kind === 'message'
          ? this.#message()
          : kind === 'signal'
            ? this.#signal()
            : error(this.#caught());
    const parts = [
      start(first, definition, { interrupting }),
      ...block.parts,
      end(last),
      flow(first, block.first),
      flow(block.last, last),
    ];
    return [eventSubProcess(id, parts)];
  }

  #caught(): string | undefined {
    return this.#random.of([undefined, 'SERVICE_FAILED', 'OWN'] as const);
  }

  #sequence(surroundings: Surroundings): Block {
    const blocks = [this.#block(surroundings)];
    while (this.#left > 0 && this.#random.chance(0.5)) blocks.push(this.#block(surroundings));
    return this.#join(blocks);
  }

  #join(blocks: readonly Block[]): Block {
    const [first] = blocks;
    const last = blocks.at(-1);
    if (first === undefined || last === undefined) throw new Error('no blocks');
    const flows = blocks.slice(1).map((block, index) => flow(blocks[index]?.last ?? '', block.first));
    return { parts: [...blocks.flatMap(({ parts }) => parts), ...flows], first: first.first, last: last.last };
  }

  #block(surroundings: Surroundings): Block {
    const simple = this.#random.of([
      'service',
      'service',
      'script',
      'task',
      'timer',
      'message',
      'signal',
      'throwSignal',
      'failingCondition',
      'failingOutput',
    ] as const);
    const nested = this.#random.of([
      'exclusive',
      'parallel',
      'inclusive',
      'events',
      'repeat',
      'sub',
      'sub',
      'loop',
      'loopedService',
      'call',
    ] as const);
    const ends = this.#random.of(['dies', 'throws', 'terminates'] as const);
    if (this.#left <= 0 || surroundings.depth >= 4) return this.#simple[simple](surroundings);
    if (this.#random.chance(0.08)) return this.#ending(ends, surroundings);
    return this.#random.chance(0.45) ? this.#simple[simple](surroundings) : this.#nested[nested](surroundings);
  }

  readonly #simple = {
    failingOutput: (): Block => {
      const id = this.#id('fails');
      return single(id, service(id, { out: { [this.#variable()]: MENDED } }));
    },
    service: (surroundings: Surroundings): Block => {
      const id = this.#id('service');
      return this.#withBoundaries(
        id,
        service(id, { in: { data: '=v0' }, out: { [this.#variable()]: '=n' } }),
        surroundings,
      );
    },
    script: (): Block => {
      const id = this.#id('script');
      return single(id, script(id, this.#variable(), `=${this.#variable()} + 1`));
    },
    task: (): Block => {
      const id = this.#id('task');
      return single(id, task(id, { out: this.#random.chance(0.5) ? { [this.#variable()]: '=v2' } : {} }));
    },
    timer: (): Block => {
      const id = this.#id('timer');
      return single(id, catchEvent(id, this.#timer(true)));
    },
    message: (): Block => {
      const id = this.#id('message');
      return single(id, catchEvent(id, this.#message(), { out: { [this.#variable()]: '=n' } }));
    },
    signal: (): Block => {
      const id = this.#id('signal');
      return single(id, catchEvent(id, this.#signal(), { out: { [this.#variable()]: '=n' } }));
    },
    throwSignal: (): Block => {
      const id = this.#id('throw');
      const name = this.#signalName();
      return single(id, throwSignal(id, name, { in: { n: this.#random.chance(0.1) ? MENDED : '=v1' } }));
    },
    failingCondition: (): Block => {
      const [id, merge] = [this.#id('fails'), this.#id('merge')];
      const parts = [gateway('exclusive', id), gateway('exclusive', merge), flow(id, merge, '=mended = true')];
      return { parts, first: id, last: merge };
    },
  };

  readonly #nested = {
    exclusive: (surroundings: Surroundings): Block => this.#gateways('exclusive', surroundings),
    parallel: (surroundings: Surroundings): Block => this.#gateways('parallel', surroundings),
    inclusive: (surroundings: Surroundings): Block => this.#gateways('inclusive', surroundings),
    events: (surroundings: Surroundings): Block => this.#events(surroundings),
    repeat: (surroundings: Surroundings): Block => this.#repeat(surroundings),
    sub: (surroundings: Surroundings): Block => this.#sub(surroundings),
    loop: (surroundings: Surroundings): Block => this.#sub(surroundings, this.#loop()),
    loopedService: (surroundings: Surroundings): Block => {
      const id = this.#id('each');
      return this.#withBoundaries(id, service(id, { in: { data: '=item' }, loop: this.#loop('=n') }), surroundings);
    },
    call: (surroundings: Surroundings): Block => this.#call(surroundings),
  };

  #gateways(kind: 'exclusive' | 'inclusive' | 'parallel', surroundings: Surroundings): Block {
    const split = this.#id(kind);
    const join = `${split}Join`;
    const inner = {
      ...surroundings,
      depth: surroundings.depth + 1,
      mayDie: surroundings.mayDie && kind !== 'parallel',
    };
    const branches = Array.from({ length: 2 + this.#random.below(2) }, () => this.#sequence(inner));
    const standard = kind === 'parallel' ? undefined : branches[0]?.first;
    const parts = branches.flatMap((branch) => {
      const condition =
        kind === 'parallel' || branch.first === standard
          ? undefined
          : `=${this.#variable()} > ${this.#random.below(8)}`;
      return [...branch.parts, flow(split, branch.first, condition), flow(branch.last, join)];
    });
    return { parts: [gateway(kind, split, standard), gateway(kind, join), ...parts], first: split, last: join };
  }

  #events(surroundings: Surroundings): Block {
    const [split, join] = [this.#id('events'), this.#id('merge')];
    const parts = Array.from({ length: 2 + this.#random.below(2) }, () => {
      const id = this.#id('awaited');
      const block = this.#block({ ...surroundings, depth: surroundings.depth + 1 });
      const definition = this.#random.chance(0.5) ? this.#timer(true) : this.#received();
      return [catchEvent(id, definition), ...block.parts, chain(split, id, block.first), flow(block.last, join)];
    }).flat();
    return { parts: [gateway('eventBased', split), gateway('exclusive', join), ...parts], first: split, last: join };
  }

  /** A flow back, taken a few times. */
  #repeat(surroundings: Surroundings): Block {
    const [init, merge, count, decide] = [this.#id('init'), this.#id('merge'), this.#id('count'), this.#id('decide')];
    const block = this.#block({ ...surroundings, depth: surroundings.depth + 1 });
    const counter = `c${count}`;
    const out = this.#id('out');
    const parts = [
      script(init, counter, '=0'),
      gateway('exclusive', merge),
      ...block.parts,
      script(count, counter, `=${counter} + 1`),
      gateway('exclusive', decide, out),
      task(out),
      chain(init, merge, block.first),
      chain(block.last, count, decide, out),
      flow(decide, merge, `=${counter} < ${1 + this.#random.below(3)}`),
    ];
    return { parts, first: init, last: out };
  }

  #sub(surroundings: Surroundings, loop?: Loop): Block {
    const id = this.#id('sub');
    const inner = this.#scope('sub', { depth: surroundings.depth + 1, mayDie: true, inSub: true });
    return this.#withBoundaries(
      id,
      subProcess(id, inner, {
        ...(loop === undefined ? {} : { loop }),
        ...(this.#random.chance(0.1) ? { out: { v0: MENDED } } : {}),
      }),
      surroundings,
      true,
    );
  }

  #loop(collect = '=v1'): Loop {
    return {
      over: this.#random.of(['=items', '=[]', '=[1, 2]', '=[3, 2, 1, 0]'] as const),
      as: 'item',
      sequential: this.#random.chance(0.5),
      ...(this.#random.chance(0.5) ? { into: 'collected', collect } : {}),
      ...(this.#random.chance(0.3) ? { until: '=numberOfCompletedInstances >= 2' } : {}),
    };
  }

  #call(surroundings: Surroundings): Block {
    const id = this.#id('call');
    const called = `called${this.#processes.length}`;
    if (this.#processes.length >= 2) return this.#simple.task();
    this.#processes.push('');
    const index = this.#processes.length - 1;
    this.#processes[index] = process(
      called,
      this.#scope('called', { depth: surroundings.depth + 2, mayDie: true, inSub: true }),
    );
    return this.#withBoundaries(id, call(id, called, { propagate: this.#random.chance(0.5) }), surroundings, true);
  }

  /** An activity with events at its boundary, whose ways meet behind it or end by themselves. */
  #withBoundaries(id: string, host: string, surroundings: Surroundings, throws = false): Block {
    const merge = this.#id('merge');
    const parts = [host, gateway('exclusive', merge), flow(id, merge)];
    if (this.#random.chance(throws ? 0.6 : 0.4)) {
      const event = this.#id('caught');
      const code = throws ? this.#caught() : this.#random.of([undefined, 'SERVICE_FAILED'] as const);
      parts.push(boundary(event, id, error(code)), flow(event, merge));
    }
    if (this.#random.chance(0.25)) {
      const event = this.#id('instead');
      const definition = this.#random.chance(0.5) ? this.#timer(true) : this.#received();
      parts.push(boundary(event, id, definition), flow(event, merge));
    }
    if (this.#random.chance(0.25) && surroundings.depth < 4) {
      const event = this.#id('beside');
      const definition = this.#random.chance(0.5) ? this.#timer(false) : this.#received();
      const block = this.#block({ depth: 4, mayDie: true, inSub: surroundings.inSub });
      const last = this.#id('besideEnd');
      parts.push(
        boundary(event, id, definition, { interrupting: false }),
        ...block.parts,
        end(last),
        flow(event, block.first),
        flow(block.last, last),
      );
    }
    return { parts, first: id, last: merge };
  }

  /** A token that may end here, an error that may be thrown, a scope that may be ended. */
  #ending(kind: 'dies' | 'throws' | 'terminates', surroundings: Surroundings): Block {
    const [split, last, on] = [this.#id('choice'), this.#id(kind), this.#id('on')];
    const allowed = kind === 'dies' ? surroundings.mayDie : kind === 'throws' ? surroundings.inSub : true;
    if (!allowed) return this.#simple.script();
    const ending = {
      dies: end(last),
      throws: errorEnd(last, 'OWN', '="thrown with " + string(v1)'),
      terminates: terminateEnd(last),
    };
    const parts = [
      gateway('exclusive', split, on),
      ending[kind],
      task(on),
      flow(split, last, `=${this.#variable()} > 5`),
      flow(split, on),
    ];
    return { parts, first: split, last: on };
  }

  #variable(): string {
    return `v${this.#random.below(4)}`;
  }

  #timer(once: boolean): string {
    if (!once && this.#random.chance(0.5))
      return timer('cycle', `R${1 + this.#random.below(3)}/PT${1 + this.#random.below(60)}M`);
    return this.#random.chance(0.2)
      ? timer('date', '2029-12-31T23:00:00Z')
      : timer('duration', `PT${this.#random.below(90)}M`);
  }

  #message(): string {
    const name = `m${this.#count++}`;
    this.#messages[name] = '=key';
    return message(name);
  }

  #received(): string {
    return this.#random.chance(0.5) ? this.#message() : this.#signal();
  }

  #signal(): string {
    return signal(this.#signalName());
  }

  #signalName(): string {
    const name = `s${this.#count++}`;
    this.#signals.push(name);
    return name;
  }
}
