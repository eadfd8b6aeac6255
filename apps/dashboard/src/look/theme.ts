import { createTheme, defaultVariantColorsResolver, type MantineColorsTuple } from '@mantine/core';
import { returnFocus } from './return-focus.ts';

/** Accent from light to dark; the first half is for dark mode. */
const ket: MantineColorsTuple = [
  '#eef0ff',
  '#dfe3f8',
  '#c9d0ff',
  '#aab4ff',
  '#8490f2',
  '#5f6de8',
  '#3d4edb',
  '#3242bd',
  '#29369b',
  '#1f2a78',
];
const gray: MantineColorsTuple = [
  '#f6f7f9',
  '#eef0f4',
  '#e1e4ec',
  '#cdd2de',
  '#a9afc0',
  '#7f869b',
  '#5a6072',
  '#454a5a',
  '#2f3341',
  '#1a1d29',
];
const dark: MantineColorsTuple = [
  '#e8eaf2',
  '#c4c8d6',
  '#a3a9bd',
  '#767d94',
  '#2b3040',
  '#232735',
  '#1f2330',
  '#1a1d28',
  '#151822',
  '#12141c',
];

const closeButtonProps = { 'aria-label': 'Close', ref: returnFocus };

export const theme = createTheme({
  primaryColor: 'ket',
  primaryShade: { light: 6, dark: 3 },
  colors: { ket, gray, dark },
  fontFamily: "'Inter Variable', system-ui, sans-serif",
  fontFamilyMonospace: "ui-monospace, 'SFMono-Regular', 'DejaVu Sans Mono', monospace",
  fontSizes: { xs: '0.75rem', sm: '0.8125rem', md: '0.875rem', lg: '1rem', xl: '1.125rem' },
  spacing: { xs: '0.25rem', sm: '0.5rem', md: '0.75rem', lg: '1rem', xl: '1.5rem' },
  headings: {
    fontWeight: '600',
    sizes: { h1: { fontSize: '1.5rem' }, h2: { fontSize: '1.125rem' }, h3: { fontSize: '0.9375rem' } },
  },
  defaultRadius: 'sm',
  cursorType: 'pointer',
  // Named only: `Modal.extend` would load dialogs with the first screen.
  // The heads of dialogs are no banners of the page.
  components: {
    Modal: { defaultProps: { closeButtonProps } },
    Drawer: { defaultProps: { closeButtonProps } },
    ModalHeader: { defaultProps: { component: 'div' } },
    DrawerHeader: { defaultProps: { component: 'div' } },
  },
  // Filled, light and subtle variants take their colours from look.css: `autoContrast` does not know the shade of dark mode.
  variantColorResolver: (input) => {
    const colors = defaultVariantColorsResolver(input);
    const isAccent = input.color === undefined || input.color === 'ket';
    if (input.variant === 'filled' && isAccent)
      return { ...colors, background: 'var(--accent)', hover: 'var(--accent-hover)', color: 'var(--on-accent)' };
    if (input.variant === 'filled' && input.color === 'red')
      return { ...colors, background: 'var(--failed)', hover: 'var(--failed)', color: 'var(--on-accent)' };
    if ((input.variant === 'light' || input.variant === 'subtle') && isAccent)
      return {
        ...colors,
        background: input.variant === 'light' ? 'color-mix(in srgb, var(--accent) 14%, transparent)' : 'transparent',
        hover: 'color-mix(in srgb, var(--accent) 20%, transparent)',
        color: 'var(--accent)',
      };
    return colors;
  },
});
