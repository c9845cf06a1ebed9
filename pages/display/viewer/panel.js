// Controls of the nuclei mode. Each maker of a bar gives key -> the control that the key flips.

function resultControls(layer, bar) {
  const { show } = layer, total = counts(layer).reduce((sum, one) => sum.map((value, s) => value + one[s]));
  const change = (part, name) => (on) => {
    show[part][name] = on;
    layer.refresh();
  };
  const status = [TP, FP, FN].map((s) => {
    const words = [line(s), `${STATUS[s]} `, el("span", { class: "count" }, total[s].toLocaleString("en"))];
    return toggle(`${STATUS[s]}, ${STATUS_WORD[s]}: ${total[s]} (${s + 1})`, words, show.status[s], change("status", s));
  });
  const truth = toggle("Truth (t)", "Truth", show.kind[TRUTH], change("kind", TRUTH));
  const prediction = toggle("Prediction (d)", "Prediction", show.kind[PREDICTION], change("kind", PREDICTION));
  const colour = choice("Colour by", [[false, "Result"], [true, "Class"]], show.byClass, (on) => colourByClass(layer, on));
  const [one] = layer.head.noun, meaning = `Lines from each ${one} to its match, or to the ${one} named in its reason (m)`;
  const links = toggle(meaning, "Match lines", show.links, (on) => {
    show.links = on;
    layer.refresh();
  });
  const drawn = shapeChoice(layer);
  const iou = toggle("Colour pairs by the IoU of their outlines: dark is low, yellow from 0.9 (i)", "IoU", show.byIou, (on) => {
    show.byIou = on;
    layer.refresh();
  });
  const colours = layer.hasIou ? [colour, iou] : [colour];
  bar.append(layers("Result", ...status), layers("Source", truth, prediction), drawn, ...colours, links, fillSlider(layer));
  layer.viewer.stepper.append(choice("Step through", Object.entries(SETS), layer.set, (set) => {
    layer.set = set;
    layer.refresh();
  }));
  const flips = { 1: status[TP], 2: status[FP], 3: status[FN], t: truth, d: prediction, o: drawn, c: colour, m: links };
  return layer.hasIou ? { ...flips, i: iou } : flips;
}

function detectionControls(layer, bar) {
  const least = el("output", { class: "count" }, layer.show.least.toFixed(2));
  const confidence = slider("Confidence at least", layer.show.least, (value) => {
    layer.show.least = value;
    least.textContent = value.toFixed(2);
    layer.recount();
    layer.refresh();
  });
  const drawn = shapeChoice(layer);
  const colour = choice("Colour by", [[false, "One colour"], [true, "Class"]], layer.show.byClass, (on) => colourByClass(layer, on));
  confidence.querySelector("input").onchange = () => layer.viewer.hand("confidence", layer.show.least);
  confidence.append(least);
  bar.append(confidence, drawn, colour, fillSlider(layer));
  return { o: drawn, c: colour };
}

function shapeChoice(layer) {
  return choice("Draw", [[false, "Outlines"], [true, "Centroids"]], layer.show.dots, (dots) => {
    layer.show.dots = dots;
    layer.refresh();
  });
}

function fillSlider(layer) {
  return slider("Fill", layer.show.fill, (value) => {
    layer.show.fill = value;
    layer.refresh();
  });
}

function colourByClass(layer, on) {
  layer.show.byClass = on;
  layer.viewer.root.classList.toggle("by-class", on);
  layer.refresh();
}

/** Per class the number of each result; a pair counts once. */
function counts(layer) {
  const found = layer.head.classes.map(() => STATUS.map(() => 0));
  for (let i = 0; i < layer.outlines.n; i++) {
    const status = layer.status[i];
    if ((status !== TP || layer.kind[i] === TRUTH) && layer.score[i] >= layer.show.least) found[layer.cls[i]][status] += 1;
  }
  return found;
}

/** The classes with a box to show each, its numbers, and a bar of their parts. */
function classList(layer) {
  const { show, names } = layer, boxes = [];
  layer.viewer.root.classList.toggle("by-class", show.byClass);
  const only = (chosen) => () => {
    boxes.forEach((box, c) => { box.checked = show.classes[c] = chosen(c); });
    layer.refresh();
  };
  const rows = counts(layer).map((count, c) => {
    const box = el("input", { type: "checkbox", "aria-label": `Show ${names[c]}: ${spoken(count)}` });
    box.checked = show.classes[c];
    box.onchange = () => {
      show.classes[c] = box.checked;
      layer.refresh();
    };
    boxes.push(box);
    const label = `Show only ${names[c]}`, alone = el("button", { type: "button", class: "only", "aria-label": label }, "only");
    alone.onclick = only((k) => k === c);
    return classRow(layer, c, count, box, alone);
  });
  const numbers = rows.map((row) => row.querySelector(".count"));
  layer.recount = () => counts(layer).forEach((count, c) => { numbers[c].textContent = sum(count).toLocaleString("en"); });
  const all = el("button", { type: "button", class: "link", onclick: only(() => true) }, "all");
  return [el("div", { class: "head" }, el("b", {}, "Classes"), all), el("ul", {}, ...rows)];
}

function classRow(layer, c, count, box, alone) {
  const dot = el("i", { class: "dot", style: `background:${layer.head.palette[c]}` });
  const colour = (s) => (layer.detections ? layer.head.palette[c] : COLOUR[s]);
  const parts = count.map((value, s) => el("i", { style: `flex:${value};background:${colour(s)}` }));
  return el("li", { class: sum(count) ? "" : "empty", title: spoken(count) },
    el("label", {}, box, dot, el("span", {}, layer.names[c])), alone,
    el("span", { class: "count" }, sum(count).toLocaleString("en")), el("span", { class: "stack", "aria-hidden": "true" }, ...parts));
}

const sum = (values) => values.reduce((a, b) => a + b, 0);

function spoken(count) {
  return count.map((value, s) => value && `${value} ${STATUS_WORD[s]}`).filter(Boolean).join(", ") || "none";
}

// What the card says about a nucleus, in words.

/** Code of a reason -> what it says; there: the other side, away: how far the nucleus is that the reason is about, name: its class. */
const REASON = {
  "other-class": ({ there, away, name }) => `the nearest ${there}, ${away} away, is ${name}`,
  taken: ({ there, away }) => `the ${there} of this class, ${away} away, is matched with another nucleus`,
  "nothing-near": ({ there, radius }) => `no ${there} within ${radius} px`,
  "missing-case": () => "this image has no prediction",
};

/** The card of nucleus i of a layer. */
function describe(layer, i) {
  const { head, partner, names, cls } = layer, j = partner[i], status = layer.status[i], predicted = layer.kind[i] === PREDICTION;
  const rows = [["class", names[cls[i]]], [predicted ? "prediction" : "truth", `no. ${layer.number[i]}`]];
  const scored = predicted ? i : status === TP ? j : -1;
  if (scored >= 0) rows.push(["confidence", layer.score[scored].toFixed(2)]);
  const away = `${layer.distance[i].toFixed(1)} px`;
  const metric = head.um_per_px ? ` · ${(layer.distance[i] * head.um_per_px).toFixed(1)} µm` : "";
  if (j >= 0) rows.push(["distance", away + metric]);
  if (layer.iou[i] >= 0) rows.push(["outlines", `IoU ${layer.iou[i].toFixed(2)}`]);
  if (status === TP && j >= 0) rows.push([predicted ? "truth" : "prediction", `no. ${layer.number[j]}`]);
  const title = status === DETECTED ? "Detected" : `${STATUS[status]} · ${STATUS_WORD[status]}`;
  const words = REASON[head.reasons[layer.reason[i]]]?.({
    there: predicted ? "truth" : "prediction", away, name: j < 0 ? "" : names[cls[j]], radius: head.radius,
  });
  return { status: status === DETECTED ? null : status, title, rows, words: words ? `${capital(STATUS_WORD[status])}: ${words}.` : "" };
}
