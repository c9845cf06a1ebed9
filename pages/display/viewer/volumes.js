// Volumes of the slice viewer: a map of codes (truth in the lower four bits, prediction in the upper four) and the images under it.
// x grows towards the patient's left, y backwards, z towards the feet, so that slices lie as radiologists read them.

const PLANES = {
  axial: { through: 2, across: 0, down: 1 },
  coronal: { through: 1, across: 0, down: 2 },
  sagittal: { through: 0, across: 1, down: 2 },
};
const ENDS = [["R", "L"], ["A", "P"], ["S", "I"]];
/** Results of a voxel, one more than their index in STATUS; 0 is neither truth nor prediction. */
const RESULTS = [1, 2, 3, 4];
const RIGHT = 1, SPURIOUS = 2, MISSED = 3, RENAMED = 4;
/** Of cividis, from low to high: even steps of lightness that colour-blind readers see alike. */
const HEAT = [
  [0, 34, 78], [18, 53, 112], [59, 73, 108], [87, 93, 109], [112, 113, 115],
  [138, 134, 120], [165, 156, 116], [195, 179, 105], [225, 204, 85], [254, 232, 56],
];

/** Level, of 255, from which on the heat hides what lies under it. */
const HEAT_OPAQUE = 110;
/** Of a voxel's edge. */
const ROUNDING = 1e-3;

const stridesOf = ([nx, ny]) => [1, nx, nx * ny];

/** What each code becomes where labels are one region: `as` where they are in it, 0 elsewhere. */
function codesOfRegion(labels, as) {
  const inside = (label) => (labels.includes(label) ? as : 0);
  return Uint8Array.from({ length: 256 }, (_, code) => inside(code & 15) | inside(code >> 4) << 4);
}

/** only: `codesOfRegion` of the one looked at, or null for all labels, when a voxel may also carry the wrong one. */
function resultOf(stored, only) {
  const code = only ? only[stored] : stored, truth = code & 15, prediction = code >> 4;
  if (!code) return 0;
  if (!truth) return SPURIOUS;
  if (!prediction) return MISSED;
  return truth === prediction ? RIGHT : RENAMED;
}

/** Indices of the voxels that carry a code: nearly all carry none, so that whatever walks through the volume walks through these. */
function markedIn(codes) {
  let count = 0;
  for (let index = 0; index < codes.length; index++) if (codes[index]) count++;
  const marked = new Uint32Array(count);
  for (let index = 0, k = 0; k < count; index++) if (codes[index]) marked[k++] = index;
  return marked;
}

/** Calls each(code, index, [x, y, z]) for every voxel with a code; the place is one array, used again. */
function eachMarked({ codes, marked, shape }, each) {
  const [nx, ny] = shape, place = [0, 0, 0];
  for (const index of marked) {
    const row = Math.floor(index / nx);
    place[0] = index - row * nx;
    place[2] = Math.floor(row / ny);
    place[1] = row - place[2] * ny;
    each(codes[index], index, place);
  }
}

/** Voxels per result: totals[result], and slices[axis][5 * slice + result]. */
function tally(volume, only) {
  const slices = volume.shape.map((n) => new Uint32Array(5 * n)), totals = [0, 0, 0, 0, 0];
  eachMarked(volume, (code, _index, place) => {
    const result = resultOf(code, only);
    totals[result] += 1;
    for (let axis = 0; axis < 3; axis++) slices[axis][5 * place[axis] + result] += 1;
  });
  return { slices, totals };
}

function wrongIn(counts, slice) {
  return counts[5 * slice + SPURIOUS] + counts[5 * slice + MISSED] + counts[5 * slice + RENAMED];
}

/** Wrong voxels that hang together (26 neighbours), wrong alike: {result, voxels, at: the voxel nearest their middle}, largest first. */
function wrongRegions(volume, only) {
  const seen = new Uint8Array(volume.codes.length), found = [];
  eachMarked(volume, (code, index) => {
    const result = resultOf(code, only);
    if (result > RIGHT && !seen[index]) found.push({ result, ...regionFrom(volume, only, index, result, seen) });
  });
  return found.sort((a, b) => b.voxels - a.voxels);
}

function regionFrom({ codes, shape }, only, start, result, seen) {
  const [nx, ny, nz] = shape, members = [start], sum = [0, 0, 0];
  seen[start] = 1;
  for (let k = 0; k < members.length; k++) {
    const [x, y, z] = placeOf(members[k], shape);
    sum[0] += x;
    sum[1] += y;
    sum[2] += z;
    for (let c = Math.max(0, z - 1); c <= Math.min(nz - 1, z + 1); c++) {
      for (let b = Math.max(0, y - 1); b <= Math.min(ny - 1, y + 1); b++) {
        for (let a = Math.max(0, x - 1); a <= Math.min(nx - 1, x + 1); a++) {
          const next = a + nx * (b + ny * c);
          if (seen[next] || resultOf(codes[next], only) !== result) continue;
          seen[next] = 1;
          members.push(next);
        }
      }
    }
  }
  const middle = sum.map((total) => total / members.length);
  return { voxels: members.length, at: nearest(members.map((index) => placeOf(index, shape)), middle) };
}

function placeOf(index, [nx, ny]) {
  return [index % nx, Math.floor(index / nx) % ny, Math.floor(index / (nx * ny))];
}

function nearest(places, middle) {
  const distance = (place) => place.reduce((sum, value, axis) => sum + (value - middle[axis]) ** 2, 0);
  return places.reduce((best, place) => (distance(place) < distance(best) ? place : best));
}

/**
 * What one slice of the map shows, or all of them when `slice` is null: nu x nv pixels with the labels of truth and prediction (the highest
 * along the ray) and depth[5 * pixel + result], how many voxels of each result lie there; deepest: the largest of each result.
 */
function crossSection(volume, plane, slice, only) {
  const { through, across, down } = PLANES[plane], { codes, shape } = volume, nu = shape[across], nv = shape[down];
  const truth = new Uint8Array(nu * nv), prediction = new Uint8Array(nu * nv);
  const depth = new Uint16Array(5 * nu * nv), deepest = [0, 0, 0, 0, 0];
  const put = (stored, pixel) => {
    const result = resultOf(stored, only), code = only ? only[stored] : stored;
    if (!result) return;
    deepest[result] = Math.max(deepest[result], ++depth[5 * pixel + result]);
    truth[pixel] = Math.max(truth[pixel], code & 15);
    prediction[pixel] = Math.max(prediction[pixel], code >> 4);
  };
  if (slice === null) eachMarked(volume, (code, _index, place) => put(code, place[down] * nu + place[across]));
  else eachPixel(shape, plane, slice, (index, pixel) => codes[index] && put(codes[index], pixel));
  return { nu, nv, truth, prediction, depth, deepest };
}

/** Calls each(index in the volume, pixel) for one slice, row by row. */
function eachPixel(shape, plane, slice, each) {
  const { through, across, down } = PLANES[plane], strides = stridesOf(shape);
  for (let v = 0, pixel = 0; v < shape[down]; v++) {
    let index = slice * strides[through] + v * strides[down];
    for (let u = 0; u < shape[across]; u++, pixel++, index += strides[across]) each(index, pixel);
  }
}

/** Index of the image's voxel at a distance (mm) along an axis of the scene, or -1 outside; its very edge is inside. */
function imageIndex(image, axis, mm) {
  const at = (mm - image.corner[axis]) / image.spacing[axis], n = image.shape[axis];
  return at < -ROUNDING || at > n + ROUNDING ? -1 : clamp(Math.floor(at), 0, n - 1);
}

/** Value at a place (mm along the three axes), or null outside the image. */
function imageValue(image, place) {
  const [x, y, z] = place.map((mm, axis) => imageIndex(image, axis, mm)), [nx, ny] = image.shape;
  return Math.min(x, y, z) < 0 ? null : image.values[x + nx * (y + ny * z)] * image.scale;
}

/** Stored values of one slice of an image, or the maximum along every ray when `slice` is null: {nu, nv, values}. */
function imageSection({ values: stored, shape }, plane, slice) {
  const { through, across, down } = PLANES[plane], nu = shape[across], nv = shape[down], values = new Int16Array(nu * nv).fill(-32768);
  const put = (index, pixel) => {
    if (stored[index] > values[pixel]) values[pixel] = stored[index];
  };
  const first = slice ?? 0, after = slice === null ? shape[through] : slice + 1;
  for (let s = first; s < after; s++) eachPixel(shape, plane, s, put);
  return { nu, nv, values };
}

/** A canvas of a section, grey from low to high, or, as heat, in colours whose opacity grows from low on. */
function tinted({ nu, nv, values }, scale, { low, high, invert }, heat) {
  const node = canvas(nu, nv), g = node.getContext("2d"), picture = g.createImageData(nu, nv);
  const pixels = new Uint32Array(picture.data.buffer);
  const table = heat ? HEAT_TABLE : invert ? GREY_INVERTED : GREY, k = 255 / Math.max(1e-9, high - low);
  for (let pixel = 0; pixel < pixels.length; pixel++) pixels[pixel] = table[clamp((values[pixel] * scale - low) * k, 0, 255) | 0];
  g.putImageData(picture, 0, 0);
  return node;
}

const levels = (colour) => Uint32Array.from({ length: 256 }, (_, level) => colour(level));
/** A pixel of ImageData, read as a little-endian word. */
const packed = (r, g, b, a) => ((a << 24) | (b << 16) | (g << 8) | r) >>> 0;
const GREY = levels((level) => packed(level, level, level, 255));
const GREY_INVERTED = levels((level) => packed(255 - level, 255 - level, 255 - level, 255));
const HEAT_TABLE = levels((level) => {
  const at = level / 255 * (HEAT.length - 1), low = Math.min(HEAT.length - 2, Math.floor(at)), part = at - low;
  const colour = HEAT[low].map((value, i) => Math.round(value + (HEAT[low + 1][i] - value) * part));
  return packed(...colour, Math.round(255 * Math.min(1, level / HEAT_OPAQUE)));
});

// Where a voxel of a scene is in the truth's file and in the scanner. head: of the payload; axes were only reordered and reversed for it.

/** Index of a voxel in the truth's file, counted from 0. */
function fileVoxel({ to_file: rows }, voxel) {
  return rows.map((row) => row[0] * voxel[0] + row[1] * voxel[1] + row[2] * voxel[2] + row[3]);
}

/** The inverse: each column has one entry, 1 or -1. */
function fromFile({ to_file: rows }, voxel) {
  return [0, 1, 2].map((axis) => {
    const row = rows.findIndex((entries) => entries[axis]);
    return (voxel[row] - rows[row][3]) * rows[row][axis];
  });
}

/** Number of a voxel's slice along an axis in the truth's file, from 1, and how many it has. */
function sliceNumber(head, voxel, axis) {
  const row = head.to_file.findIndex((entries) => entries[axis]);
  return [fileVoxel(head, voxel)[row] + 1, head.file_shape[row]];
}

/** How far a slice lies from the scanner's origin, as consoles write it: "S 34.5 mm". */
function positionWords({ affine }, axis, slice) {
  const length = Math.hypot(...affine.map((row) => row[axis]));
  const mm = affine.reduce((sum, row) => sum + row[3] * row[axis] / length, 0) + slice * length;
  return `${ENDS[axis][mm < 0 ? 0 : 1]} ${Math.abs(mm).toFixed(1)} mm`;
}
