// How fast the web page is in Chromium: `node benchmarks/web_page.mjs EXPORT SENTENCES` (after `make web-packages`).
//
// EXPORT is a folder of `keras-attn export --format litert`, SENTENCES a text file, of which the first 100 lines are translated,
// after ten that warm up. Prints seconds until the page is ready, from an empty profile and from a local server, and milliseconds a
// sentence, median and 90th percentile, for the page's own word-by-word loop and for the signature `translate`. CHROMIUM names the
// browser's program.

import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

const WEB = fileURLToPath(new URL("../export/web/", import.meta.url));
const require = createRequire(path.join(WEB, "package.json"));
const { chromium } = require("playwright-core");
const { build } = require("esbuild");

const [folder, file] = process.argv.slice(2);
const lines = readFileSync(file, "utf8").split("\n").filter(Boolean).slice(0, 100);
const scratch = mkdtempSync(path.join(tmpdir(), "web-page-"));
execFileSync("node", [path.join(WEB, "build.mjs"), path.join(scratch, "site"), folder]);
const server = spawn("python3", ["-u", "-m", "http.server", "--bind", "127.0.0.1", "--directory", path.join(scratch, "site"), "0"]);
const [port] = await new Promise((resolve) => server.stdout.once("data", (text) => resolve(/(?<=port )\d+/.exec(text))));
const context = await chromium.launchPersistentContext(path.join(scratch, "profile"), {
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  bypassCSP: true, // for the script that runs `translate` below
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"],
});
try {
  const page = await context.newPage();
  const start = performance.now();
  await page.goto(`http://127.0.0.1:${port}`);
  await page.waitForFunction(() => document.getElementById("status").textContent.startsWith("Ready"));
  console.log(`${context.browser()?.version() ?? "Chromium"}: ready after ${((performance.now() - start) / 1000).toFixed(1)} s`);
  const model = `models/${path.basename(path.resolve(folder))}`;
  report("word by word", await page.evaluate(wordByWord, { model, lines }));
  await page.addScriptTag({ content: await translateScript() });
  report("translate", await page.evaluate(({ model, lines }) => globalThis.timesOfTranslate(model, lines), { model, lines }));
} finally {
  await context.close();
  server.kill();
  rmSync(scratch, { recursive: true, force: true, maxRetries: 5 });
}

function report(name, times) {
  const sorted = times.slice(10).sort((a, b) => a - b);
  const at = (share) => sorted[Math.floor(share * sorted.length)].toFixed(1);
  console.log(`${name}: ${at(0.5)} ms a sentence (median of ${sorted.length}), ${at(0.9)} ms at the 90th percentile`);
}

/** In the page: the worker's own times. */
async function wordByWord({ model, lines }) {
  const worker = new Worker("worker.js");
  const ask = (request) =>
    new Promise((resolve) => {
      worker.onmessage = ({ data }) => "text" in data || resolve(data);
      worker.postMessage({ number: 0, ...request });
    });
  await ask({ load: model });
  const times = [];
  for (const line of [...lines.slice(0, 10), ...lines]) times.push((await ask({ translate: line })).milliseconds);
  worker.terminate();
  return times;
}

/** A script for the page that defines `timesOfTranslate(model, lines)`. */
async function translateScript() {
  const contents = `
    import { loadLiteRt, loadAndCompile, Tensor } from "@litertjs/core";
    import { Tokenizer } from "./tokenizer";
    globalThis.timesOfTranslate = async (model, lines) => {
      globalThis.Module = { printErr: () => {}, locateFile: (name) => "wasm/" + name };
      await loadLiteRt("wasm/litert_wasm_compat_internal.js");
      const bytes = async (name) => new Uint8Array(await (await fetch(model + "/" + name)).arrayBuffer());
      const { source_length, vocabularies } = await (await fetch(model + "/model.json")).json();
      const tokenizer = new Tokenizer(await bytes(vocabularies.source));
      const file = await loadAndCompile(await bytes("model.tflite"), { accelerator: "wasm" });
      const times = [];
      for (const line of [...lines.slice(0, 10), ...lines]) {
        const start = performance.now();
        const source = new Int32Array(source_length);
        source.set([...tokenizer.encode(line).ids.slice(0, source_length - 1), 3]);
        const input = new Tensor(source, [1, source_length]);
        const found = await file.run("translate", { source: input });
        found.ids.toTypedArray();
        times.push(performance.now() - start);
        for (const tensor of [input, ...Object.values(found)]) tensor.delete();
      }
      return times;
    };`;
  const stdin = { contents, resolveDir: path.join(WEB, "src"), loader: "ts" };
  const { outputFiles } = await build({ stdin, bundle: true, format: "iife", write: false, target: "es2022" });
  return outputFiles[0].text;
}
