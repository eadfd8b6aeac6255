export { byVersion, pythonReleases, type PythonRelease } from './catalog.ts';
export { installedPython, installedPythons, type InstalledPython } from './installed.ts';
export { installPython, PythonNotInstalled } from './install.ts';
export { mountsOfPython, type PythonMounts } from './mounts.ts';
