// Outlines of nuclei with what is needed to find and thin them quickly. Coordinates of vertices are in sixteenths of an image pixel.

const STEPS = 16;
const CELL = 64;
/** Outlines that reach further than this from their centre are kept apart: one of them would widen every search. Image px. */
const GIANT = 128;
/** Vertices of a thinned outline lie about this far apart on the screen, CSS px. */
const SPACING = 1.6;
const FEWEST = 6;

class Outlines {
  /** arrays: xy, start [n + 1] (equal neighbours: no outline), centre (x, y of each nucleus, image px). w, h: size of the image. */
  constructor({ xy, start, centre }, w, h) {
    const n = start.length - 1;
    Object.assign(this, { xy, start, centre, n, columns: Math.ceil(w / CELL), rows: Math.ceil(h / CELL) });
    this.box = new Float32Array(4 * n);
    this.radius = new Float32Array(n);
    this.edge = new Float32Array(n);
    for (let i = 0; i < n; i++) this.measure(i);
    this.typical = median(this.radius.filter((r) => r > 0)) || 7;
    this.sort();
  }

  x(i) {
    return this.centre[2 * i];
  }

  y(i) {
    return this.centre[2 * i + 1];
  }

  /** Box, radius (mean half side of the box) and mean length of an edge, image px; the last two are 0 without an outline. */
  measure(i) {
    const { xy, start, box } = this, from = start[i], to = start[i + 1];
    let x0 = this.x(i) * STEPS, x1 = x0, y0 = this.y(i) * STEPS, y1 = y0, length = 0;
    for (let j = from, k = to - 1; j < to; k = j++) {
      const x = xy[2 * j], y = xy[2 * j + 1], dx = x - xy[2 * k], dy = y - xy[2 * k + 1];
      if (x < x0) x0 = x; else if (x > x1) x1 = x;
      if (y < y0) y0 = y; else if (y > y1) y1 = y;
      length += Math.sqrt(dx * dx + dy * dy);
    }
    box[4 * i] = x0 / STEPS;
    box[4 * i + 1] = y0 / STEPS;
    box[4 * i + 2] = x1 / STEPS;
    box[4 * i + 3] = y1 / STEPS;
    this.radius[i] = (x1 - x0 + y1 - y0) / 4 / STEPS;
    this.edge[i] = to > from ? length / (to - from) / STEPS : 0;
  }

  /** Nuclei sorted into cells by their centre (a counting sort), and how far those of the cells reach beyond it. */
  sort() {
    const { n, columns, rows } = this, cell = new Int32Array(n).fill(-1), first = new Uint32Array(columns * rows + 1);
    this.giants = [];
    this.reach = 0;
    for (let i = 0; i < n; i++) {
      const far = this.farthest(i);
      if (far > GIANT) {
        this.giants.push(i);
        continue;
      }
      this.reach = Math.max(this.reach, far);
      cell[i] = clamp(Math.floor(this.y(i) / CELL), 0, rows - 1) * columns + clamp(Math.floor(this.x(i) / CELL), 0, columns - 1);
      first[cell[i] + 1]++;
    }
    for (let c = 0; c + 1 < first.length; c++) first[c + 1] += first[c];
    this.first = first;
    this.members = new Uint32Array(n - this.giants.length);
    for (let i = 0, next = first.slice(); i < n; i++) if (cell[i] >= 0) this.members[next[cell[i]]++] = i;
  }

  /** From the centre, held inside the image, to the farthest side of the box. */
  farthest(i) {
    const { box } = this, x = clamp(this.x(i), 0, this.columns * CELL), y = clamp(this.y(i), 0, this.rows * CELL);
    return Math.max(x - box[4 * i], box[4 * i + 2] - x, y - box[4 * i + 1], box[4 * i + 3] - y);
  }

  /** Nuclei that pass `visible` and whose box meets [x0, x1] x [y0, y1]. */
  within(x0, y0, x1, y1, visible) {
    const { box, reach, first, members, columns } = this, found = [];
    const add = (i) => {
      if (box[4 * i] <= x1 && box[4 * i + 2] >= x0 && box[4 * i + 1] <= y1 && box[4 * i + 3] >= y0 && visible(i)) found.push(i);
    };
    const at = (value, count) => clamp(Math.floor(value / CELL), 0, count - 1);
    const left = at(x0 - reach, columns), right = at(x1 + reach, columns), bottom = at(y1 + reach, this.rows);
    for (let row = at(y0 - reach, this.rows); row <= bottom; row++) {
      for (let k = first[row * columns + left]; k < first[row * columns + right + 1]; k++) add(members[k]);
    }
    this.giants.forEach(add);
    return found;
  }

  /** Every how many vertices an outline is drawn at a scale (CSS px per image px). coarse: a factor where there is too much to draw. */
  step(i, scale, coarse = 1) {
    const most = Math.floor((this.start[i + 1] - this.start[i]) / FEWEST);
    return clamp(Math.floor(Math.max(1, SPACING / (this.edge[i] * scale)) * coarse), 1, Math.max(1, most));
  }

  /** How much coarser these outlines are drawn so that they have at most about `budget` vertices. */
  coarseness(items, scale, budget) {
    let vertices = 0;
    for (const i of items) vertices += (this.start[i + 1] - this.start[i]) / this.step(i, scale);
    return Math.max(1, vertices / budget);
  }

  /** Add an outline to the path of a context whose unit is a sixteenth of a pixel; gives the number of its vertices. */
  trace(g, i, step = 1) {
    const { xy, start } = this, from = start[i], to = start[i + 1];
    if (from === to) return 0;
    g.moveTo(xy[2 * from], xy[2 * from + 1]);
    for (let j = from + step; j < to; j += step) g.lineTo(xy[2 * j], xy[2 * j + 1]);
    g.closePath();
    return (to - from) / step;
  }

  /** Whether a point lies inside an outline (even-odd rule). */
  inside(i, x, y) {
    const { xy, start } = this, px = x * STEPS, py = y * STEPS;
    let odd = false;
    for (let j = start[i], k = start[i + 1] - 1; j < start[i + 1]; k = j++) {
      const yj = xy[2 * j + 1], yk = xy[2 * k + 1];
      if (yj > py !== yk > py && px < (xy[2 * k] - xy[2 * j]) * (py - yj) / (yk - yj) + xy[2 * j]) odd = !odd;
    }
    return odd;
  }

  /** The nucleus meant by a point: the smallest outline around it, else the centre nearest to it within `slack`; -1 for none.
   *  first(i): true where a nucleus goes before an equal one. */
  pick(x, y, slack, visible, first) {
    let best = -1, least = Infinity;
    for (const i of this.within(x - slack, y - slack, x + slack, y + slack, visible)) {
      const d = Math.hypot(this.x(i) - x, this.y(i) - y);
      const rank = this.inside(i, x, y) ? Math.min(d, this.radius[i]) + this.radius[i] - 1e6 : d < slack ? d : Infinity;
      if (rank - (first(i) ? 0.01 : 0) < least) {
        least = rank;
        best = i;
      }
    }
    return best;
  }
}

function median(values) {
  return values.length ? values.slice().sort()[values.length >> 1] : 0;
}
