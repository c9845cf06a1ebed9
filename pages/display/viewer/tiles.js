// A drawing too slow for every frame, kept as bitmaps: painted at rest within a budget per frame, and scaled while the view moves.

const TILE = 256;
/** Milliseconds of painting per frame, so that a frame stays short however much there is to paint. */
const BUDGET_MS = 9;
const KEPT = 140;

/** Bitmaps by row and column for one scale S (device px per content px). */
const grid = (S) => ({ S, tiles: new Map() });

class Tiles {
  /** paint(g, S, dpr, ox, oy, width, height): draws a rectangle whose left upper corner is at (ox, oy) device px; true where it drew. */
  constructor(paint) {
    Object.assign(this, { paint, version: 0, current: null, last: null, overview: null, spare: null });
  }

  /** What is there is no longer true; it is shown until it has been painted anew. */
  renew() {
    this.version += 1;
  }

  /** Draw the view t of content of w x h. fitted: the scale S that shows everything, whose tiles are kept. True when work is left. */
  draw(g, t, w, h, fitted) {
    const begin = performance.now();
    this.choose(t, fitted);
    const wanted = this.cover(this.current, t, w, h);
    if (!wanted.every((tile) => tile.version === this.version)) {
      for (const below of [this.overview, this.last]) {
        if (below && below !== this.current) blit(g, below, this.cover(below, t, w, h), t);
      }
    }
    blit(g, this.current, wanted, t);
    const [target, missing] = this.missing(wanted, t);
    while (missing.length && performance.now() - begin < BUDGET_MS) {
      const tile = missing.shift();
      this.fill(target, tile, t.dpr);
      if (target === this.current) blit(g, target, [tile], t);
    }
    this.drop(wanted);
    return missing.length > 0;
  }

  /** A new scale gets tiles of its own once the view rests, or when those there are would be scaled too far. */
  choose(t, fitted) {
    const ratio = this.current ? t.S / this.current.S : Infinity;
    if (ratio === 1 || (t.moving && ratio < 2 && ratio > 0.6)) return;
    if (this.current !== this.overview) this.last = this.current;
    const whole = this.overview && Math.abs(this.overview.S / t.S - 1) < 1e-6;
    this.current = whole ? this.overview : grid(t.S);
    if (!this.overview || (!whole && t.S === fitted)) this.overview = this.current;
  }

  /** Tiles to be painted, those in the middle of the view first; when none is missing there, those of the overview. */
  missing(wanted, t) {
    const { current, overview, version } = this, k = TILE * t.S / current.S;
    const away = ({ column, row }) => Math.hypot((column + 0.5) * k + t.X - t.W / 2, (row + 0.5) * k + t.Y - t.H / 2);
    const found = wanted.filter((tile) => tile.version !== version).sort((a, b) => away(a) - away(b));
    if (found.length || overview === current) return [current, found];
    return [overview, [...overview.tiles.values()].filter((tile) => tile.version !== version)];
  }

  /** Records of the tiles that meet the view, made where they are new. */
  cover({ S, tiles }, t, w, h) {
    const size = TILE * t.S / S, from = (edge) => Math.max(0, Math.floor(-edge / size)), found = [];
    const columns = Math.min(Math.ceil(w * S / TILE), Math.ceil((t.W - t.X) / size));
    const rows = Math.min(Math.ceil(h * S / TILE), Math.ceil((t.H - t.Y) / size));
    for (let row = from(t.Y); row < rows; row++) {
      for (let column = from(t.X); column < columns; column++) {
        const key = row * 65536 + column, tile = tiles.get(key) ?? { column, row, version: -1, bitmap: null };
        tiles.set(key, tile);
        found.push(tile);
      }
    }
    return found;
  }

  /** Paint one tile; those with nothing on them keep no bitmap. */
  fill({ S }, tile, dpr) {
    const bitmap = tile.bitmap ?? this.spare ?? canvas(TILE, TILE), g = bitmap.getContext("2d");
    g.setTransform(1, 0, 0, 1, 0, 0);
    g.clearRect(0, 0, TILE, TILE);
    const used = this.paint(g, S, dpr, tile.column * TILE, tile.row * TILE, TILE, TILE);
    this.spare = used ? null : bitmap;
    tile.bitmap = used ? bitmap : null;
    tile.version = this.version;
  }

  drop(wanted) {
    const { current, overview } = this, keep = new Set(wanted);
    if (current === overview || current.tiles.size <= KEPT) return;
    for (const [key, tile] of current.tiles) if (!keep.has(tile)) current.tiles.delete(key);
  }
}

function blit(g, { S }, tiles, t) {
  const k = t.S / S, size = TILE * k;
  for (const { column, row, bitmap, version } of tiles) {
    if (version < 0) continue;
    const x = t.X + column * size, y = t.Y + row * size;
    g.clearRect(x, y, size, size);
    if (bitmap) g.drawImage(bitmap, x, y, size, size);
  }
}
