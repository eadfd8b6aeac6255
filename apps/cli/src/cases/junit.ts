import type { Verdict } from './cases.ts';

/** The verdicts in the form that CI systems read. */
export function junitOf(suite: string, verdicts: readonly Verdict[]): string {
  const failed = verdicts.filter(({ failures }) => failures.length > 0).length;
  const seconds = (milliseconds: number): string => (milliseconds / 1000).toFixed(3);
  const total = verdicts.reduce((sum, { milliseconds }) => sum + milliseconds, 0);
  const cases = verdicts.map(({ name, milliseconds, failures, outcome }) => {
    const open = `    <testcase classname="${xml(suite)}" name="${xml(name)}" time="${seconds(milliseconds)}"`;
    if (failures.length === 0) return `${open}/>`;
    const log = outcome === null ? '' : `\n      <system-out>${xml(outcome.log)}</system-out>`;
    return `${open}>\n      <failure message="${xml(failures[0] ?? '')}">${xml(failures.join('\n'))}</failure>${log}\n    </testcase>`;
  });
  const counts = `tests="${verdicts.length}" failures="${failed}" time="${seconds(total)}"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${counts}>`,
    `  <testsuite name="${xml(suite)}" ${counts}>`,
    ...cases,
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}

/** A text in XML. Characters that XML 1.0 does not have become U+FFFD. */
function xml(text: string): string {
  return (
    text
      .toWellFormed()
      // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
      .replaceAll(/[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/g, '\u{FFFD}')
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      .replaceAll('"', '&quot;')
  );
}
