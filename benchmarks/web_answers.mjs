// What the web page's worker answers in Chromium: `node benchmarks/web_answers.mjs EXPORT LINES.json`, for `web_parity.py`.
//
// LINES.json is a list of strings. Prints a line of JSON for each, `{ids, text, milliseconds}` or `{error}`, and `{rss}`, the browser's
// memory in MB, after every hundredth.

import { readdirSync, readFileSync } from "node:fs";
import { startWorker, withPage } from "./chromium.mjs";

const [folder, file] = process.argv.slice(2);
const lines = JSON.parse(readFileSync(file, "utf8"));

await withPage(folder, async (page, model) => {
  await startWorker(page, model);
  for (let start = 0; start < lines.length; start += 100) {
    const answers = await page.evaluate(answersTo, lines.slice(start, start + 100));
    for (const answer of [...answers, { rss: memory() }]) console.log(JSON.stringify(answer));
  }
});

async function answersTo(lines) {
  const answers = [];
  for (const line of lines) {
    const { error, translation, milliseconds } = await globalThis.ask(line);
    answers.push(error ? { error } : { ids: translation.ids, text: translation.text, milliseconds });
  }
  return answers;
}

/** MB of memory that this program's children, theirs and so on hold. */
function memory() {
  const status = (id) => Object.fromEntries(readFileSync(`/proc/${id}/status`, "utf8").split("\n").map((line) => line.split(":\t")));
  const all = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  const known = all.flatMap((id) => {
    try {
      return [[id, status(id)]];
    } catch {
      return []; // it has ended
    }
  });
  const ours = new Set([String(process.pid)]);
  for (const [id, { PPid }] of known.sort(([a], [b]) => a - b)) if (ours.has(PPid.trim())) ours.add(id);
  ours.delete(String(process.pid));
  return known.filter(([id]) => ours.has(id)).reduce((sum, [, { VmRSS }]) => sum + parseInt(VmRSS ?? "0") / 1000, 0);
}
