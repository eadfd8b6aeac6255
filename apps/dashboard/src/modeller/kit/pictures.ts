/** Pixels of a picture for each unit of the diagram. */
const SCALE = 2;
/** Pixels of the longer side of a picture. A larger diagram is drawn smaller: browsers draw no larger canvas. */
const LONGEST = 8_000;

/** An SVG whose colours do not depend on the page. */
export function withColours(svg: string): string {
  return svg.replaceAll('var(--panel)', '#ffffff').replaceAll('var(--ink)', '#1a1d29');
}

export function svgFile(svg: string): Promise<Blob> {
  return Promise.resolve(new Blob([svg], { type: 'image/svg+xml' }));
}

/** Draws an SVG as PNG on white. Throws an error that says what to do. */
export async function pngFile(svg: string): Promise<Blob> {
  const source = URL.createObjectURL(await svgFile(svg));
  try {
    const image = new Image();
    image.src = source;
    await image.decode();
    const scale = Math.min(SCALE, LONGEST / Math.max(image.naturalWidth, image.naturalHeight, 1));
    const canvas = document.createElement('canvas');
    canvas.width = Math.max(1, Math.round(image.naturalWidth * scale));
    canvas.height = Math.max(1, Math.round(image.naturalHeight * scale));
    const context = canvas.getContext('2d');
    if (!context) throw new Error('no canvas');
    context.fillStyle = '#ffffff';
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.drawImage(image, 0, 0, canvas.width, canvas.height);
    const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'));
    if (!blob) throw new Error('no picture');
    return blob;
  } catch (error) {
    throw new Error('Your browser cannot draw this diagram as PNG. Download it as SVG.', { cause: error });
  } finally {
    URL.revokeObjectURL(source);
  }
}
