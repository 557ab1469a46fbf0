// Which lines of a preview belong to which of its source.

/** Pairs [line of the preview, line of the source], 1-based. */
export type LineMap = [number, number][];

/** The lines of the preview that belong to lines of the source; all from 0. */
export function fromSource(map: LineMap, lines: number[]): number[] {
  return unique(map.filter(([, source]) => lines.includes(source - 1)).map(([preview]) => preview - 1));
}

/** The other way round. */
export function fromPreview(map: LineMap, lines: number[]): number[] {
  return unique(map.filter(([preview]) => lines.includes(preview - 1)).map(([, source]) => source - 1));
}

const unique = (lines: number[]): number[] => [...new Set(lines)].sort((a, b) => a - b);
