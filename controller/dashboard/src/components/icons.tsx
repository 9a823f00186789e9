/** Line icons. Each one stands next to a text that says the same. */

const SHAPES = {
  robot: 'M8 8 6 3M16 8l2-5M5 8h14v9H5zM9 12v1M15 12v1M8 20h8',
  talk: 'M4 5h16v11H10l-5 4v-4H4zM8 9h8M8 12h5',
  tools: 'M14 6a4 4 0 0 1 5-1l-3 3 1 2 3-1a4 4 0 0 1-5 4l-7 7-3-3 7-7a4 4 0 0 1 2-4',
  drive:
    'M12 3v18M3 12h18M12 3l-2 2M12 3l2 2M12 21l-2-2M12 21l2-2M3 12l2-2M3 12l2 2M21 12l-2-2M21 12l-2 2',
  plots: 'M4 4v16h16M7 15l4-5 3 3 5-7',
  journal: 'M6 3h12v18H6zM9 8h6M9 12h6M9 16h4',
  health: 'M3 12h4l2-5 4 10 2-5h6',
  fleet: 'M4 4h7v6H4zM13 4h7v6h-7zM4 14h7v6H4zM13 14h7v6h-7zM7 7h1M16 7h1M7 17h1M16 17h1',
  voice: 'M9 4h6v9H9zM6 11v2a6 6 0 0 0 12 0v-2M12 19v2M9 21h6',
  settings: 'M4 7h10M18 7h2M4 17h2M10 17h10M16 5v4M8 15v4',
} as const;

export type IconName = keyof typeof SHAPES;

export const Icon = ({ name }: { name: IconName }) => (
  <svg
    class="icon"
    viewBox="0 0 24 24"
    fill="none"
    stroke="currentColor"
    stroke-width="1.8"
    stroke-linecap="round"
    stroke-linejoin="round"
    aria-hidden="true"
  >
    <path d={SHAPES[name]} />
  </svg>
);
