// What is on the stage as a PNG of twice its size, with scale bar and legend.

const MARGIN = 14;
const ROW = 22;

function savePng(stage, name) {
  const t = { ...stage.transform(Math.max(2, stage.dpr)), moving: false, exact: true }, k = t.dpr;
  const style = getComputedStyle(stage.node), entries = layOut(stage.layer.legend(), t.W / k);
  const out = canvas(t.W, t.H + (entries.rows * ROW + MARGIN) * k), g = out.getContext("2d");
  g.fillStyle = style.getPropertyValue("--paper") || style.backgroundColor;
  g.fillRect(0, 0, out.width, out.height);
  g.save();
  g.beginPath();
  g.rect(0, 0, t.W, t.H);
  g.clip();
  g.fillStyle = style.backgroundColor;
  g.fillRect(0, 0, t.W, t.H);
  stage.layer.ground(g, t);
  g.setTransform(1, 0, 0, 1, 0, 0); // a layer leaves its own transform set
  if (!stage.overlay.classList.contains("hidden")) g.drawImage(paintedOverlay(stage, t), 0, 0);
  g.setTransform(k, 0, 0, k, 0, 0);
  paintScaleBar(g, stage);
  g.restore();
  g.setTransform(k, 0, 0, k, 0, 0);
  paintLegend(g, entries, stage.height + MARGIN / 2, style.color);
  out.toBlob((blob) => download(blob, `${name}.png`));
}

function paintedOverlay(stage, t) {
  const top = canvas(t.W, t.H);
  stage.layer.overlay(top.getContext("2d"), t);
  return top;
}

function paintScaleBar(g, stage) {
  const length = parseFloat(stage.bar.style.width), y = stage.height - MARGIN;
  g.fillStyle = "#000a";
  g.fillRect(MARGIN - 6, y - 20, length + 12, 27);
  g.fillStyle = "#fff";
  g.fillRect(MARGIN, y, length, 3);
  g.font = "600 12px sans-serif";
  g.fillText(stage.bar.textContent, MARGIN, y - 5);
}

/** Entries of a legend [[status or null, colour, words]] in rows of a width, CSS px. */
function layOut(legend, width) {
  const g = canvas(1, 1).getContext("2d"), placed = [];
  g.font = "12px sans-serif";
  let x = MARGIN, row = 0;
  for (const [status, colour, words] of legend) {
    const wide = 40 + g.measureText(words).width + MARGIN;
    if (x > MARGIN && x + wide > width) {
      x = MARGIN;
      row += 1;
    }
    placed.push({ status, colour, words, x, row });
    x += wide;
  }
  return { placed, rows: placed.length ? row + 1 : 0 };
}

function paintLegend(g, { placed }, top, ink) {
  g.font = "12px sans-serif";
  g.textBaseline = "middle";
  for (const { status, colour, words, x, row } of placed) {
    const y = top + (row + 0.5) * ROW;
    g.strokeStyle = colour;
    g.lineWidth = 3;
    g.setLineDash(status === null ? [] : DASH[status]);
    g.beginPath();
    g.moveTo(x, y);
    g.lineTo(x + 28, y);
    g.stroke();
    g.fillStyle = ink;
    g.fillText(words, x + 36, y);
  }
}

function download(blob, name) {
  const url = URL.createObjectURL(blob);
  el("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}
