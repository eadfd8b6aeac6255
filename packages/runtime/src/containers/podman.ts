import type { Engine } from './engine.ts';

/** The version of Podman, or null for another engine. Podman wants some values in a form of its own. */
export async function podmanVersion(engine: Engine): Promise<string | null> {
  const { Components } = (await engine.ask('GET', '/version')) as { Components?: { Name: string; Version: string }[] };
  return Components?.find(({ Name }) => Name.startsWith('Podman'))?.Version ?? null;
}

/**
 * Returns whether the engine cannot limit memory and processors: Podman without root, where cgroups have version 1. It
 * ignores such limits of containers, but fails builds that have them.
 */
export async function hasNoCgroups(engine: Engine): Promise<boolean> {
  const info = (await engine.ask('GET', '/info')) as { Rootless?: boolean; CgroupVersion?: string };
  return info.Rootless === true && info.CgroupVersion === '1';
}
