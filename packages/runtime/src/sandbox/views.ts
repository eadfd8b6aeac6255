import { statSync } from 'node:fs';
import { messageOf } from '../errors.ts';
import type { Mount } from './bwrap.ts';
import { OverlayMounter } from './overlay-mounter.ts';
import type { SandboxRoot } from './root.ts';

/** The root and the mounts as one sandbox sees them: the same content, files of its own. */
export interface View {
  root: SandboxRoot;
  mounts: readonly Mount[];
  /** Only when everything in the sandbox is dead. */
  release(): void;
}

interface Overlay {
  at: string;
  /** Device and inode of the folder below. While the overlay exists, no other folder gets this number. */
  key: string;
  lower: string;
  since: number;
}

/** Each mount makes the start of every sandbox a little slower. */
const MOST_FREE = 32;
const LONGEST_FREE_MS = 600_000;
const LOOK_MS = 30_000;

/**
 * Overlays over what all sandboxes share. A lock on a file is one on the overlay that it was opened through, so that no two
 * living sandboxes meet at a file of the root, at a device, or at one of the code. An overlay over what never changes serves
 * the next sandbox; that of a root is kept with all its parts. They exist in the runner's own namespace of mounts.
 */
export class Views {
  readonly #mounter: OverlayMounter | null;
  #root: SandboxRoot | null = null;
  #freeRoots: SandboxRoot[] = [];
  /** Longest free first. */
  #free: Overlay[] = [];
  #rootIsShared: boolean;

  /** @param dir where to mount, or null where we may not: then all see the root itself. */
  constructor(dir: string | null) {
    this.#mounter = dir === null ? null : new OverlayMounter(dir);
    this.#rootIsShared = dir === null;
    if (dir !== null) setInterval(() => this.#unmountUnused(), LOOK_MS).unref();
  }

  take(root: SandboxRoot, mounts: readonly Mount[]): View {
    if (root !== this.#root) this.#freeRoots = []; // those of an older root go with the runner
    this.#root = root;
    const view = this.#freeRoots.pop() ?? this.#overRoot(root);
    const taken: { overlay: Overlay; lasts: boolean }[] = [];
    const shown = mounts.map((mount): Mount => {
      const overlay = this.#over(mount);
      if (overlay === null) return mount;
      taken.push({ overlay, lasts: mount.overlay === 'KEPT' });
      return { ...mount, from: overlay.at };
    });
    return {
      root: view,
      mounts: shown,
      release: () => {
        if (root === this.#root && view !== root) this.#freeRoots.push(view);
        for (const { overlay, lasts } of taken) {
          if (lasts) this.#free.push({ ...overlay, since: performance.now() });
          else this.#unmount(overlay);
        }
        while (this.#free.length > MOST_FREE) this.#unmount(this.#free.shift());
      },
    };
  }

  /** Null where it is shown as it is: nobody else has it, it is a file, or it cannot be done here. */
  #over({ from, overlay }: Mount): Overlay | null {
    if (this.#mounter === null || overlay === undefined) return null;
    const { dev, ino, isDirectory } = folderAt(from);
    if (!isDirectory) return null;
    const key = `${dev}:${ino}`;
    const free = this.#free.findLastIndex((one) => one.key === key);
    const [known] = free === -1 ? [] : this.#free.splice(free, 1);
    if (known !== undefined) return known;
    try {
      return { at: this.#mounter.mount(from), key, lower: from, since: 0 };
    } catch (error) {
      console.error(`sandboxes share files, and can lock them for each other: ${messageOf(error)}`);
      return null;
    }
  }

  #overRoot(root: SandboxRoot): SandboxRoot {
    if (this.#mounter === null || this.#rootIsShared) return root;
    const mounter = this.#mounter;
    try {
      const shown = root.shown.map(({ from, to }) => ({ from: mounter.mount(from), to }));
      const [usr, dir, devices] = [mounter.mount(root.usr), mounter.mount(root.dir), mounter.mount(root.devices)];
      const masks = root.masks.map(({ from, to }) => ({ from: from.replace(root.dir, dir), to }));
      return { ...root, usr, dir, devices, shown, masks };
    } catch (error) {
      this.#rootIsShared = true;
      console.error(`sandboxes share files of their root, and can lock them for each other: ${messageOf(error)}`);
      return root;
    }
  }

  /** Files below an overlay take space until it is unmounted, also when they were deleted. */
  #unmountUnused(): void {
    const oldest = performance.now() - LONGEST_FREE_MS;
    const isUsed = ({ key, lower, since }: Overlay): boolean => {
      const { dev, ino } = folderAt(lower);
      return since > oldest && key === `${dev}:${ino}`;
    };
    const unused = this.#free.filter((overlay) => !isUsed(overlay));
    this.#free = this.#free.filter((overlay) => !unused.includes(overlay));
    for (const overlay of unused) this.#unmount(overlay);
  }

  #unmount(overlay: Overlay | undefined): void {
    if (overlay === undefined) return;
    try {
      this.#mounter?.unmount(overlay.at);
    } catch (error) {
      console.error(`${overlay.at} stays mounted until the runner ends: ${messageOf(error)}`);
    }
  }
}

function folderAt(path: string): { dev: number; ino: number; isDirectory: boolean } {
  const found = statSync(path, { throwIfNoEntry: false });
  return { dev: found?.dev ?? 0, ino: found?.ino ?? 0, isDirectory: found?.isDirectory() ?? false };
}
