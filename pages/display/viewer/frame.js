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
