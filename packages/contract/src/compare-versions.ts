/** Orders versions such as `1.10.0` by number: negative when `a` is the older of the two. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [numbersOf(a), numbersOf(b)];
  return left[0] - right[0] || left[1] - right[1] || left[2] - right[2];
}

function numbersOf(version: string): readonly [number, number, number] {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number);
  return [major, minor, patch];
}
