// Where the model looked: choose a word of the translation, and the source words light up.
//
// The words of the translation are radio buttons, so that pointer, touch, arrow keys and screen readers all choose one in the way
// they know; the table below shows all choices at once.

import type { Attention } from "./attention";

let groups = 0; // radio buttons of one sentence share a name

/**
 * @param languages of the source and the target, as `lang` attributes.
 * @param announce is told in words what a chosen word looked at.
 */
export function heatMap(
  { source, target, weights }: Attention,
  languages: { source: string; target: string },
  announce: (text: string) => void,
): HTMLElement {
  const name = `attention-${groups++}`;
  const sourceWords = source.map((word) => element("span", { className: "word", textContent: word }));
  const choices = target.map(() => element("input", { type: "radio", name, className: "visually-hidden" }));
  const targetWords = target.map((word, t) => element("label", { className: "word" }, choices[t], word));
  const rows = target.map((word, t) => tableRow(word, source, weights[t], languages.target));

  const show = (chosen: number) => {
    sourceWords.forEach((word, s) => setWeight(word, weights[chosen]?.[s] ?? 0));
    [targetWords, rows].forEach((all) => all.forEach((each, t) => each.classList.toggle("chosen", t === chosen)));
  };
  const rest = () => show(choices.findIndex((choice) => choice.checked));
  [targetWords, rows].forEach((all) =>
    all.forEach((each, t) => {
      each.addEventListener("pointerenter", () => show(t));
      each.addEventListener("pointerleave", rest);
    }),
  );
  choices.forEach((choice, t) => {
    choice.addEventListener("focus", () => show(t));
    choice.addEventListener("blur", rest);
    choice.addEventListener("change", () => {
      show(t);
      announce(described(target[t], source, weights[t]));
    });
  });

  return element(
    "fieldset",
    { className: "attention" },
    element("legend", { textContent: "Choose a word of the translation" }),
    element("p", { className: "words", lang: languages.source }, ...spaced(sourceWords)),
    element("div", { className: "words", lang: languages.target }, ...spaced(targetWords)),
    table(source, rows, languages.source),
  );
}

/** "dog 91 %, the 6 %": the source words that got a twentieth of the attention or more, the most first. */
function described(word: string, source: string[], weights: number[]): string {
  const looked = source
    .map((text, s) => ({ text, weight: weights[s] }))
    .filter(({ weight }) => weight >= 0.05)
    .sort((a, b) => b.weight - a.weight);
  return `${word} looked at ${looked.map(({ text, weight }) => `${text} ${percent(weight)}`).join(", ")}`;
}

function table(source: string[], rows: HTMLElement[], language: string): HTMLElement {
  const heads = source.map((word) => element("th", { scope: "col", lang: language }, element("span", { textContent: word })));
  return element(
    "div",
    { className: "scroller", tabIndex: 0, role: "group", ariaLabel: "Attention weights as a table" }, // arrow keys scroll it
    element("table", {}, element("thead", {}, element("tr", {}, element("td"), ...heads)), element("tbody", {}, ...rows)),
  );
}

function tableRow(word: string, source: string[], weights: number[], language: string): HTMLElement {
  const cells = weights.map((weight, s) => {
    const value = element("span", { className: "visually-hidden", textContent: percent(weight) });
    const cell = element("td", { title: `${word} looked at ${source[s]}: ${percent(weight)}` }, value);
    setWeight(cell, weight);
    return cell;
  });
  return element("tr", {}, element("th", { scope: "row", lang: language, textContent: word }), ...cells);
}

function setWeight(target: HTMLElement, weight: number): void {
  target.style.setProperty("--weight", weight.toFixed(3));
}

function percent(weight: number): string {
  return `${Math.round(100 * weight)} %`;
}

function spaced(words: HTMLElement[]): (HTMLElement | string)[] {
  return words.flatMap((word) => [word, " "]);
}

function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  properties: Partial<HTMLElementTagNameMap[K]> = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}
