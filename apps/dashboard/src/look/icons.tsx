/** Icons of the dashboard: outlines on a 24 × 24 grid. */
const PATHS = {
  home: 'M4 11l8-7 8 7M6 9.5V20h12V9.5M10 20v-6h4v6',
  services: 'M12 3l8 4.5v9L12 21l-8-4.5v-9zM12 12l8-4.5M12 12v9M12 12L4 7.5',
  workflows: 'M4 5h6v5H4zM14 14h6v5h-6zM7 10v6.5h7M10 7.5h7V14',
  marketplace: 'M4 9l1.5-5h13L20 9M4 9v11h16V9M4 9h16M9 20v-6h6v6',
  usage: 'M4 20V10M10 20V4M16 20v-7M3 20h18',
  audit: 'M6 3h9l4 4v14H6zM9 11h7M9 15h7M9 7h3',
  shield: 'M12 3l8 3v6c0 5-4 8-8 9-4-1-8-4-8-9V6zM9 12l2 2 4-4',
  code: 'M8 8l-4 4 4 4M16 8l4 4-4 4M13.5 6l-3 12',
  incident: 'M12 4l9 16H3zM12 10v5M12 17.5v.5',
  executions: 'M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16M12 8v4l3 2',
  search: 'M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14M20 20l-4-4',
  moon: 'M20 14A8 8 0 1 1 10 4a6.5 6.5 0 0 0 10 10z',
  sun: 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8M12 2v2M12 20v2M4.9 4.9l1.4 1.4M17.7 17.7l1.4 1.4M2 12h2M20 12h2M4.9 19.1l1.4-1.4M17.7 6.3l1.4-1.4',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  check: 'M5 12l5 5 9-10',
  run: 'M7 5l12 7-12 7z',
  plus: 'M12 5v14M5 12h14',
  menu: 'M4 7h16M4 12h16M4 17h16',
  person: 'M12 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8M4 21a8 8 0 0 1 16 0',
  organization: 'M4 20V6l7-3v17M11 9h9v11M3 20h18M14 13h3M14 16h3M7 9h1M7 13h1',
  applications: 'M4 5h16v14H4zM4 9h16M8 13l2 2-2 2M13 17h4',
  key: 'M8 12a4 4 0 1 0 0 8 4 4 0 0 0 0-8M11 13l8-8M16 8l3 3M13.5 10.5l2 2',
  pool: 'M4 6c0-4 16-4 16 0s-16 4-16 0M4 6v12c0 4 16 4 16 0V6M4 12c0 4 16 4 16 0',
  shared:
    'M6 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6M18 3a3 3 0 1 0 0 6 3 3 0 0 0 0-6M18 15a3 3 0 1 0 0 6 3 3 0 0 0 0-6M8.6 10.6l6.8-3.2M8.6 13.4l6.8 3.2',
  download: 'M12 4v11M7 11l5 5 5-5M5 20h14',
  upload: 'M12 20V9M7 13l5-5 5 5M5 4h14',
  close: 'M6 6l12 12M18 6L6 18',
  stop: 'M6 6h12v12H6z',
  signOut: 'M14 4H5v16h9M10 12h11M17 8l4 4-4 4',
  help: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18M9.5 9.5a2.5 2.5 0 1 1 3.5 2.3c-.7.3-1 .8-1 1.7M12 16.5v.5',
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name, size = 17 }: { readonly name: IconName; readonly size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.7"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <path d={PATHS[name]} />
    </svg>
  );
}
