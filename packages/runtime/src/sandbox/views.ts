import { statSync } from 'node:fs';
import { messageOf } from '../errors.ts';
import type { Mount } from './bwrap.ts';
import { OverlayMounter } from './overlay-mounter.ts';
import type { SandboxRoot } from './root.ts';

/** The root and the mounts as one sandbox sees them: shared content, but files of its own. */
export interface View {
  root: SandboxRoot;
  mounts: readonly Mount[];
  /** Releases the overlays. Call it only when everything in the sandbox is dead. */
  release(): void;
}

interface Overlay {
  at: string;
  /** Device and inode of the folder below. While the overlay exists, no other folder gets these numbers. */
  key: string;
  lower: string;
  since: number;
}

/** Free overlays that are kept. Each mount makes the start of every sandbox a little slower, so more are unmounted. */
const MOST_FREE = 32;
/** Milliseconds that an overlay is kept free. Beyond them it is unmounted. */
const LONGEST_FREE_MS = 600_000;
/** Milliseconds between two checks for free overlays. */
const LOOK_MS = 30_000;

/**
 * Overlays over the files that all sandboxes share. A lock belongs to the overlay through which a file was opened. So
 * two living sandboxes never contend for a file of the root, a device, or a file of the code.
 *
 * An overlay over unchanging content serves the next sandbox as well; a root keeps its overlays as a set. The overlays
 * exist in the runner's own mount namespace.
 */
export class Views {
  readonly #mounter: OverlayMounter | null;
  #root: SandboxRoot | null = null;
  #freeRoots: SandboxRoot[] = [];
  /** Longest free first. */
  #free: Overlay[] = [];
  #rootIsShared: boolean;

  /** @param dir the folder for mount points, or null where we may not mount: then all sandboxes see the root itself. */
  constructor(dir: string | null) {
    this.#mounter = dir === null ? null : new OverlayMounter(dir);
    this.#rootIsShared = dir === null;
    if (dir !== null) setInterval(() => this.#unmountUnused(), LOOK_MS).unref();
  }

  take(root: SandboxRoot, mounts: readonly Mount[]): View {
    if (root !== this.#root) this.#freeRoots = []; // overlays of an older root end with the runner
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

  /** Null when the mount needs no overlay, is a file, or cannot be covered by an overlay here. */
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
      const [dir, devices] = [mounter.mount(root.dir), mounter.mount(root.devices)];
      const isInside = root.usr.startsWith(`${root.dir}/`);
      const usr = isInside ? root.usr.replace(root.dir, dir) : mounter.mount(root.usr);
      const masks = root.masks.map(({ from, to }) => ({ from: from.replace(root.dir, dir), to }));
      return { ...root, usr, dir, devices, shown, masks };
    } catch (error) {
      this.#rootIsShared = true;
      console.error(`sandboxes share files of their root, and can lock them for each other: ${messageOf(error)}`);
      return root;
    }
  }

  /** Unmounts overlays that nobody used for long. Deleted files below an overlay take space until then. */
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
