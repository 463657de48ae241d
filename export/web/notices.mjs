// Whose work a built site is made of, and under which licences: the text of its NOTICE.txt.

import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const RULE = `\n${"-".repeat(80)}\n\n`;

/**
 * @param inputs paths of all files that were bundled, those of packages with `node_modules` in them
 * @param models of each its name and its `attribution`, "" where it asks for none
 */
export async function notices(inputs, models) {
  const ours = await readFile(path.join(ROOT, "NOTICE"), "utf8");
  const apache = await readFile(path.join(ROOT, "LICENSE"), "utf8");
  const named = models.filter(({ attribution }) => attribution).map(({ name, attribution }) => `${name}: ${attribution}\n`);
  const packages = await Promise.all(packageFolders(inputs).map(notice));
  return [ours, ...(named.length ? [`Models of this site\n\n${named.join("\n")}`] : []), ...packages, apache].join(RULE);
}

/** The innermost package that each file lies in, each once. */
function packageFolders(inputs) {
  const found = inputs.map((input) => path.resolve(input).match(/^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/)?.[0]);
  return [...new Set(found.filter(Boolean))].sort();
}

/** A package's own licence file; one under Apache's licence may leave it out, for its text stands at the end. */
async function notice(folder) {
  const { name, version, license } = JSON.parse(await readFile(path.join(folder, "package.json"), "utf8"));
  const files = (await readdir(folder)).filter((file) => /^(licen[cs]e|notice|copying)(\.|$)/i.test(file)).sort();
  if (files.length === 0 && license !== "Apache-2.0") throw new Error(`${name} ${version} (${license}) comes without its licence's text`);
  const texts = await Promise.all(files.map((file) => readFile(path.join(folder, file), "utf8")));
  return [`${name} ${version}, ${license}\n`, ...(files.length ? texts : ["The licence's text stands at the end.\n"])].join("\n");
}
