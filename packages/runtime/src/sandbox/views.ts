import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import type { SandboxRoot } from './root.ts';

/** A root as one sandbox sees it: the same content, files of its own. */
export interface View {
  root: SandboxRoot;
  /** Only when everything in the sandbox is dead. */
  release(): void;
}

/**
 * Overlays over what all sandboxes share. A lock on a file is one on the overlay that it was opened through, so that no two
 * living sandboxes meet at a file of the root or at a device. Mounting takes 3 ms each; a view whose sandbox has ended serves
 * the next one. They exist in the runner's own namespace of mounts and end with it.
 */
export class Views {
  readonly #dir: string | null;
  #root: SandboxRoot | null = null;
  #free: SandboxRoot[] = [];
  #made = 0;
  #impossible = false;

  /** @param dir where to mount, or null where we may not: then all see the root itself. */
  constructor(dir: string | null) {
    this.#dir = dir;
  }

  take(root: SandboxRoot): View {
    if (root !== this.#root) this.#free = []; // those of an older root go with the runner
    this.#root = root;
    const view = this.#free.pop() ?? this.#make(root);
    return {
      root: view,
      release: () => {
        if (root === this.#root && view !== root) this.#free.push(view);
      },
    };
  }

  #make(root: SandboxRoot): SandboxRoot {
    if (this.#dir === null || this.#impossible) return root;
    // Overlays take these apart where paths stand in one option.
    const unfit = (path: string): boolean => /[:,\\]/.test(path);
    const folder = `${this.#dir}/${++this.#made}`;
    const lowers = { usr: root.usr, dir: root.dir, devices: root.devices };
    const shown = root.shown.map(({ from, to }, index) => ({ from, at: `${folder}/shown-${index}`, to }));
    const all = [...Object.entries(lowers).map(([name, from]) => ({ from, at: `${folder}/${name}` })), ...shown];
    mkdirSync(`${folder}/empty`, { recursive: true, mode: 0o711 });
    for (const { from, at } of all) {
      mkdirSync(at, { mode: 0o711 });
      const options = `ro,lowerdir=${from}:${folder}/empty`;
      const { status, stderr } = unfit(options.replace(',lowerdir=', '').replace(':', ''))
        ? { status: 1, stderr: `${from} cannot be the lower folder of an overlay` }
        : spawnSync('/usr/bin/mount', ['-t', 'overlay', 'kethub', '-o', options, at], { encoding: 'utf8', env: {} });
      if (status === 0) continue;
      this.#impossible = true;
      console.error(`sandboxes share files of their root, and can lock them for each other: ${stderr.trim()}`);
      return root;
    }
    return {
      ...root,
      usr: `${folder}/usr`,
      dir: `${folder}/dir`,
      devices: `${folder}/devices`,
      shown: shown.map(({ at, to }) => ({ from: at, to })),
      masks: root.masks.map(({ from, to }) => ({ from: from.replace(root.dir, `${folder}/dir`), to })),
    };
  }
}
