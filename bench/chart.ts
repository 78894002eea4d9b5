/** The figures of `change.ts` as a picture: seconds over people, both axes logarithmic. */
import type { ChangeFigure } from "./change.ts";

const WIDTH = 720;
const HEIGHT = 420;
const MARGIN = { left: 60, right: 150, top: 40, bottom: 50 };

interface Series {
  readonly name: string;
  readonly color: string;
  readonly secondsOf: (figure: ChangeFigure) => number;
}

const series: readonly Series[] = [
  { name: "all added (up)", color: "#b3401f", secondsOf: ({ allJoin }) => allJoin },
  { name: "one person added (up)", color: "#7a5a00", secondsOf: ({ addedUp }) => addedUp.seconds },
  {
    name: "one person added (preview)",
    color: "#1f6f4a",
    secondsOf: ({ addedPreview }) => addedPreview.seconds,
  },
  { name: "no change (preview)", color: "#1f4fb3", secondsOf: ({ unchanged }) => unchanged.seconds },
];

export function changeChart(figures: readonly ChangeFigure[]): string {
  const people = figures.map((figure) => figure.people);
  const seconds = figures.flatMap((figure) => series.map(({ secondsOf }) => secondsOf(figure)));
  const x = scale(people, MARGIN.left, WIDTH - MARGIN.right);
  const y = scale(seconds, HEIGHT - MARGIN.bottom, MARGIN.top);
  const marks = [...ticks(seconds)].map(
    (value) =>
      `<path d="M${MARGIN.left} ${y(value)}H${WIDTH - MARGIN.right}" stroke="#ccc"/>${text(MARGIN.left - 8, y(value) + 4, `${value} s`, "end")}`,
  );
  const sizes = people.map((value) =>
    text(x(value), HEIGHT - MARGIN.bottom + 20, value.toLocaleString("en"), "middle"),
  );
  const lines = series.map(({ name, color, secondsOf }) => {
    const points = figures.map((figure) => [x(figure.people), y(secondsOf(figure))] as const);
    const [endX, endY] = points.at(-1) ?? [0, 0];
    const path = points.map(([px, py], index) => `${index === 0 ? "M" : "L"}${px} ${py}`).join("");
    const dots = points.map(([px, py]) => `<circle cx="${px}" cy="${py}" r="3" fill="${color}"/>`).join("");
    const label = `<text x="${endX + 8}" y="${endY + 4}" fill="${color}">${name}</text>`;
    return `<path d="${path}" fill="none" stroke="${color}" stroke-width="2"/>${dots}${label}`;
  });
  const title = "Seconds of a run over the number of people";
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12" role="img" aria-label="${title}">`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#fff"/>`,
    text(MARGIN.left, 22, title, "start"),
    ...marks,
    ...sizes,
    text((MARGIN.left + WIDTH - MARGIN.right) / 2, HEIGHT - 10, "people", "middle"),
    ...lines,
    "</svg>",
    "",
  ].join("\n");
}

/** Maps values to a range, by their logarithms. */
function scale(values: readonly number[], start: number, end: number): (value: number) => number {
  const [low, high] = [Math.log(Math.min(...values)), Math.log(Math.max(...values))];
  return (value) => Math.round(start + ((Math.log(value) - low) / (high - low || 1)) * (end - start));
}

/** The powers of ten among the values. */
function* ticks(values: readonly number[]): Generator<number> {
  const highest = Math.max(...values);
  for (let power = Math.ceil(Math.log10(Math.min(...values))); 10 ** power <= highest; power++)
    yield 10 ** power;
}

function text(x: number, y: number, words: string, anchor: "start" | "middle" | "end"): string {
  return `<text x="${x}" y="${y}" text-anchor="${anchor}" fill="#333">${words}</text>`;
}
