// What the card says about a nucleus, in words.

/** Code of a reason -> what it says; there: the other side, away: how far the nucleus is that the reason is about, name: its class. */
const REASON = {
  "other-class": ({ there, away, name }) => `the nearest ${there}, ${away} away, is ${name}`,
  taken: ({ there, away }) => `the ${there} of this class, ${away} away, belongs to another nucleus`,
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
