// How fast the web page is in Chromium: `node benchmarks/web_page.mjs EXPORT SENTENCES` (after `make web-packages`).
//
// EXPORT is a folder of `keras-attn export --format litert`, SENTENCES a text file, of which the first 100 lines are translated,
// after ten that warm up. Prints seconds until the page is ready, from an empty profile and from a local server, and milliseconds a
// sentence, median and 90th percentile, for the page itself and for the signature `translate_text`. CHROMIUM names the browser's program.

import { readFileSync } from "node:fs";
import path from "node:path";
import { require, startWorker, WEB, withPage } from "./chromium.mjs";

const { build } = require("esbuild");
const [folder, file] = process.argv.slice(2);
const lines = readFileSync(file, "utf8").split("\n").filter(Boolean).slice(0, 100);

await withPage(folder, async (page, model, seconds) => {
  console.log(`${page.context().browser()?.version() ?? "Chromium"}: ready after ${seconds.toFixed(1)} s`);
  await startWorker(page, model);
  report("the page", await page.evaluate(wordByWord, lines));
  await page.addScriptTag({ content: await translateScript() });
  report("translate_text", await page.evaluate(({ model, lines }) => globalThis.timesOfTranslate(model, lines), { model, lines }));
});

function report(name, times) {
  const sorted = times.slice(10).sort((a, b) => a - b);
  const at = (share) => sorted[Math.floor(share * sorted.length)].toFixed(1);
  console.log(`${name}: ${at(0.5)} ms a sentence (median of ${sorted.length}), ${at(0.9)} ms at the 90th percentile`);
}

/** In the page: the worker's own times. */
async function wordByWord(lines) {
  const times = [];
  for (const line of [...lines.slice(0, 10), ...lines]) times.push((await globalThis.ask(line)).milliseconds);
  return times;
}

/** A script for the page that defines `timesOfTranslate(model, lines)`. */
async function translateScript() {
  const contents = `
    import { loadLiteRt, loadAndCompile, Tensor } from "@litertjs/core";
    globalThis.timesOfTranslate = async (model, lines) => {
      globalThis.Module = { printErr: () => {}, locateFile: (name) => "wasm/" + name };
      await loadLiteRt("wasm/litert_wasm_compat_internal.js");
      const bytes = async (name) => new Uint8Array(await (await fetch(model + "/" + name)).arrayBuffer());
      const { signatures } = await (await fetch(model + "/model.json")).json();
      const { shape } = signatures.translate_text.inputs.text;
      const file = await loadAndCompile(await bytes("model.tflite"), { accelerator: "wasm" });
      const times = [];
      for (const line of [...lines.slice(0, 10), ...lines]) {
        const start = performance.now();
        const text = new Int32Array(shape[1]).fill(-1);
        text.set(new TextEncoder().encode(line).subarray(0, shape[1]));
        const input = new Tensor(text, shape);
        const found = await file.run("translate_text", { text: input });
        found.text.toTypedArray();
        times.push(performance.now() - start);
        for (const tensor of [input, ...Object.values(found)]) tensor.delete();
      }
      return times;
    };`;
  const stdin = { contents, resolveDir: path.join(WEB, "src"), loader: "ts" };
  const { outputFiles } = await build({ stdin, bundle: true, format: "iife", write: false, target: "es2022" });
  return outputFiles[0].text;
}
