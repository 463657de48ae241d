// The page: choose a model, write, read.

import { heatMap } from "./heatmap";
import { RemoteTranslator, type Timed } from "./remote";

/** One entry of `models/index.json`, which the build writes. */
interface Model {
  name: string; // its folder below models/
  source: string; // language codes
  target: string;
  bytes: number; // of model.tflite
}

const find = <E extends HTMLElement>(id: string) => document.getElementById(id) as E;
const form = find<HTMLFormElement>("form");
const pair = find<HTMLSelectElement>("pair");
const source = find<HTMLTextAreaElement>("source");
const button = find<HTMLButtonElement>("translate");
const swap = find<HTMLButtonElement>("swap");
const target = find("target");
const attention = find("attention");

let translator: RemoteTranslator;
let models: Model[] = [];
let latest = 0; // the newest request; an older one that is still running shows nothing more

start().catch(fail);

async function start(): Promise<void> {
  await keepForOffline();
  translator = new RemoteTranslator();
  models = await (await fetch("models/index.json")).json();
  pair.append(...models.map((model) => new Option(label(model))));
  pair.addEventListener("change", () => loadModel().catch(fail));
  swap.addEventListener("click", () => turnRound().catch(fail));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    translate().catch(fail);
  });
  source.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
  });
  await loadModel();
}

/** The service worker keeps what passes through it, so it has to be there before WASM and models are fetched. */
async function keepForOffline(): Promise<void> {
  if (!("serviceWorker" in navigator)) return; // not offered to pages that come neither by HTTPS nor from this machine
  try {
    const { active, waiting, installing } = await navigator.serviceWorker.register("service-worker.js");
    const worker = (active ?? waiting ?? installing)!;
    while (worker.state !== "activated") {
      if (worker.state === "redundant") throw new Error("the browser has no room for the page's files");
      await new Promise((resolve) => worker.addEventListener("statechange", resolve, { once: true }));
    }
  } catch (error) {
    console.warn("This page will not work offline:", error);
  }
}

async function loadModel(): Promise<void> {
  const request = ++latest;
  const model = models[pair.selectedIndex];
  button.disabled = true;
  swap.hidden = otherDirection() < 0;
  showLanguages(model);
  clear();
  tell(`Loading ${label(model)}, ${(model.bytes / 1e6).toFixed(1)} MB`);
  const start = performance.now();
  await translator.load(`models/${encodeURIComponent(model.name)}`);
  if (request !== latest) return;
  button.disabled = false;
  tell(`Ready to translate ${label(model)}. Loaded in ${((performance.now() - start) / 1000).toFixed(1)} s`);
}

/** To the model of the other direction, with the translation as its source. */
async function turnRound(): Promise<void> {
  const text = [...target.children].map((paragraph) => paragraph.textContent).join("\n");
  if (text.trim()) source.value = text;
  pair.selectedIndex = otherDirection();
  await loadModel();
}

/** The place of that model, -1 if there is none. */
function otherDirection(): number {
  const model = models[pair.selectedIndex];
  return models.findIndex((other) => other.source === model.target && other.target === model.source);
}

async function translate(): Promise<void> {
  if (button.disabled) return; // a model is still on its way
  const request = ++latest;
  const model = models[pair.selectedIndex];
  clear();
  const done: Timed[] = [];
  for (const line of source.value.split("\n")) {
    const paragraph = target.appendChild(document.createElement("p"));
    const timed = await translator.translate(line, (text) => request === latest && (paragraph.textContent = text));
    if (request !== latest) return;
    done.push(timed);
    paragraph.textContent = timed.translation.text;
    if (timed.translation.attention) attention.append(heatMap(timed.translation.attention, languages(model), announce));
  }
  attention.hidden = attention.querySelector("fieldset") === null;
  announce(done.map(({ translation }) => translation.text).join("\n").trim() || "There is nothing to translate");
  tell(summary(done));
}

function summary(done: Timed[]): string {
  const milliseconds = done.reduce((sum, timed) => sum + timed.milliseconds, 0);
  const steps = done.reduce((sum, { translation }) => sum + translation.ids.length, 0);
  if (steps === 0) return "";
  const cut = done.some(({ translation }) => translation.cut) ? " A sentence was too long: its end was not read." : "";
  return `${milliseconds.toFixed(0)} ms, ${(milliseconds / steps).toFixed(1)} ms for each of ${steps} word pieces.${cut}`;
}

function clear(): void {
  target.replaceChildren();
  attention.querySelectorAll("fieldset").forEach((map) => map.remove());
  attention.hidden = true;
  find("error").textContent = "";
  announce("");
  tell("");
}

function tell(text: string): void {
  find("status").textContent = text;
}

/** For screen readers only: what others see. */
function announce(text: string): void {
  find("announcement").textContent = text;
}

function fail(error: Error): void {
  tell("");
  find("error").textContent = error.message;
}

function showLanguages(model: Model): void {
  const { source: from, target: to } = languages(model);
  find("source-language").textContent = languageName(model.source);
  find("target-language").textContent = languageName(model.target);
  source.lang = from;
  target.lang = to;
}

/** Codes for `lang` attributes; "" where the model's maker named none. */
function languages(model: Model): { source: string; target: string } {
  const known = (code: string) => (languageName(code) === code ? "" : code);
  return { source: known(model.source), target: known(model.target) };
}

function label(model: Model): string {
  const text = `${languageName(model.source)} to ${languageName(model.target)}`;
  const same = models.filter(({ source, target }) => source === model.source && target === model.target);
  return same.length > 1 ? `${text} (${model.name})` : text;
}

function languageName(code: string): string {
  try {
    return new Intl.DisplayNames(["en"], { type: "language" }).of(code)!;
  } catch {
    return code; // not a language code
  }
}
