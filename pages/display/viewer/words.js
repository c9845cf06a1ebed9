// What the slice viewer says of results, values and windows.

function resultName(result, between = ", ") {
  return result === RENAMED ? STATUS[result - 1] : STATUS[result - 1] + between + STATUS_WORD[result - 1];
}

function resultTitle(result) {
  return result ? { status: result - 1, title: resultName(result, " · ") } : { status: null, title: "No label" };
}

function valueWords(value, image) {
  return value === null ? "outside" : `${value.toFixed(image.digits)} ${image.unit}`;
}

function rangeWords({ low, high }, image) {
  return `${low.toFixed(image.digits)} to ${high.toFixed(image.digits)} ${image.unit}`;
}

/** What stands around the stage, for a picture of it: without the letters nobody knows left from right. */
function paintTags(g, { W, H, dpr }, tags) {
  const edge = 14 * dpr, height = 18 * dpr;
  g.setTransform(1, 0, 0, 1, 0, 0);
  g.font = `600 ${12 * dpr}px sans-serif`;
  g.textBaseline = "middle";
  for (const [place, words] of tags) {
    const wide = g.measureText(words).width + edge / 2;
    const x = place.endsWith("l") ? edge : place.endsWith("r") ? W - edge - wide : (W - wide) / 2;
    const y = place.startsWith("t") ? 2 * edge : place === "b" ? H - 2 * edge : H / 2;
    g.fillStyle = "#000b";
    g.fillRect(x, y - height / 2, wide, height);
    g.fillStyle = "#fff";
    g.fillText(words, x + edge / 4, y);
  }
}
