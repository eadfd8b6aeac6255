import type { Box } from '../kit/types.ts';

/** Size of a mark on the diagram, and how far it reaches over the edge of its element. */
const [WIDTH, HEIGHT] = [24, 20];
const OVER = 10;

/** Position of an overlay, measured from two edges of its element. */
export type Corner = Readonly<Partial<Record<'top' | 'right' | 'bottom' | 'left', number>>>;

/**
 * The corner of an element for its mark: the first that covers no label. An element as small as an event takes the
 * upper right one, because its label is mostly below.
 */
export function cornerFor(element: Box, labels: readonly Box[]): Corner {
  const { x, y, width, height } = element;
  const isSmall = width < 60;
  const right = x + width - OVER;
  const left = x + OVER - WIDTH;
  const [top, bottom] = [y + OVER - HEIGHT, y + height - OVER];
  const corners: readonly (readonly [Corner, number, number])[] = [
    [{ bottom: OVER, right: OVER }, right, bottom],
    [{ top: OVER - HEIGHT, right: OVER }, right, top],
    [{ top: OVER - HEIGHT, left: OVER - WIDTH }, left, top],
    [{ bottom: OVER, left: OVER - WIDTH }, left, bottom],
  ];
  const order = isSmall ? [...corners.slice(1), ...corners.slice(0, 1)] : corners;
  const free = order.find(([, atX, atY]) => !labels.some((label) => overlap(label, atX, atY)));
  return (free ?? order[0])?.[0] ?? {};
}

function overlap({ x, y, width, height }: Box, atX: number, atY: number): boolean {
  return atX < x + width && atX + WIDTH > x && atY < y + height && atY + HEIGHT > y;
}
