// Puts the page and exported models together in one folder that any web server can serve.
//
//     node build.mjs OUTPUT EXPORT...
//
// OUTPUT is made, or replaced if an earlier build stands there. Each EXPORT is a folder that `keras-attn export --format litert`
// wrote; its name becomes its address below OUTPUT/models/.

import { build } from "esbuild";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { access, cp, lstat, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { notices } from "./notices.mjs";

const HERE = path.dirname(fileURLToPath(import.meta.url));
const SOURCES = path.join(HERE, "src");
const WASM = path.dirname(fileURLToPath(import.meta.resolve("@litertjs/core"))) + "/../wasm";
const WASM_FILES = ["litert_wasm_compat_internal.js", "litert_wasm_compat_internal.wasm"];
const FILES = ["model.json", "model.tflite"]; // of an export
const MADE_BY_US = "models/index.json";
const SUMS = "SHA256SUMS";
const MOST_BYTES = { "model.json": 2 ** 20, [SUMS]: 2 ** 16 }; // far more than an export's hold

class UsageError extends Error {}

try {
  await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  console.error(`Error: ${error.message}`);
  process.exitCode = 2;
}

async function main([output, ...exports]) {
  if (!output || exports.length === 0) throw new UsageError("expected OUTPUT EXPORT...: a folder to make, and exported models");
  const models = [];
  for (const folder of exports) models.push(await checkedModel(folder));
  refuseSharedNames(models);
  await refuseToReplace(output);
  await mkdir(path.dirname(path.resolve(output)), { recursive: true });
  const fresh = await mkdtemp(`${path.resolve(output)}.`);
  try {
    const bundled = await writePage(fresh);
    await writeFile(path.join(fresh, "NOTICE.txt"), await notices(bundled, models));
    for (const { folder, name } of models) await copyFiles(folder, path.join(fresh, "models", name), FILES);
    const index = models.map(({ name, source, target, bytes }) => ({ name, source, target, bytes }));
    await writeFile(path.join(fresh, MADE_BY_US), JSON.stringify(index, null, 2) + "\n");
    await writeServiceWorker(fresh);
    await rm(output, { recursive: true, force: true });
    await rename(fresh, output);
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
  console.log(`${output}: ${models.map(({ name }) => name).join(", ")}`);
}

/** What a stranger's export says about itself is checked, and its files, which are published, must be files of its folder. */
async function checkedModel(folder) {
  let description;
  try {
    description = JSON.parse(await readSmallFile(folder, "model.json")) ?? {};
    for (const name of FILES) await requireOwnFile(folder, name);
    await checkSums(folder, FILES);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    if (!existsSync(folder)) throw new UsageError(`${path.resolve(folder)} does not exist`);
    throw new UsageError(`${folder} is not a whole export: expected a folder that \`keras-attn export --format litert\` wrote`);
  }
  const { signatures, source_length, languages, bytes, attribution } = description;
  if (!signatures?.step || !signatures.tokenize) {
    throw new UsageError(`${folder} takes no text: export a model with vocabularies, with this version of keras-attn`);
  }
  if (!source_length) {
    throw new UsageError(`${folder} takes sources of any length, browsers only of a fixed one: export it with --source-length 64`);
  }
  const { source, target } = languages ?? {};
  if (typeof source !== "string" || typeof target !== "string" || typeof bytes !== "number") {
    throw new UsageError(`${folder}/model.json does not say what it translates: expected languages and bytes`);
  }
  return { folder, name: path.basename(path.resolve(folder)), source, target, bytes, attribution: oneLine(attribution) };
}

/** What somebody else's text may say in ours: "" where it is none. */
function oneLine(text) {
  return typeof text === "string" ? text.replace(/[\p{C}\s]+/gu, " ").trim() : "";
}

/** A file to be parsed, which could be of any size. */
async function readSmallFile(folder, name) {
  await requireOwnFile(folder, name);
  const file = path.join(folder, name);
  if ((await lstat(file)).size > MOST_BYTES[name]) throw new UsageError(`${file} is larger than ${MOST_BYTES[name]} bytes`);
  return readFile(file, "utf8");
}

/** The files to publish are those that were exported: each has the SHA-256 that is written down beside them. */
async function checkSums(folder, files) {
  if (!(await access(path.join(folder, SUMS)).then(() => true, () => false))) {
    console.error(`Warning: ${folder} has no ${SUMS}, so damage to its files may go unnoticed: an older keras-attn wrote it`);
    return;
  }
  const lines = (await readSmallFile(folder, SUMS)).split("\n");
  for (const name of files) {
    const sum = createHash("sha256").update(await readFile(path.join(folder, name))).digest("hex");
    if (!lines.includes(`${sum}  ${name}`)) {
      throw new UsageError(`${folder}/${name} is damaged or was changed: its SHA-256 is not in ${SUMS}. Get the export again`);
    }
  }
}

/** A link could lead out of the folder. */
async function requireOwnFile(folder, name) {
  const file = await lstat(path.join(folder, name));
  if (!file.isFile()) throw new UsageError(`${folder}/${name} is a link or no file: copy the file itself there`);
}

function refuseSharedNames(models) {
  const names = models.map(({ name }) => name);
  const taken = names.find((name, i) => names.indexOf(name) !== i || name === path.basename(MADE_BY_US));
  if (taken) throw new UsageError(`an export's folder name is its address, and ${taken} is taken: rename one`);
}

async function refuseToReplace(output) {
  const isEmpty = !existsSync(output) || (await readdir(output).then((names) => names.length === 0, () => false)); // not if it is a file
  const ours = await access(path.join(output, MADE_BY_US)).then(() => true, () => false);
  if (!isEmpty && !ours) {
    throw new UsageError(`${output} exists and is not an earlier build: remove it or choose another name`);
  }
}

/** Returns the paths of all files that went into it. */
async function writePage(folder) {
  const inputs = [];
  const entries = { page: "esm", worker: "iife" }; // LiteRT.js loads its WASM by importScripts, which module workers lack
  for (const [name, format] of Object.entries(entries)) {
    const { metafile } = await build({
      entryPoints: [path.join(SOURCES, `${name}.ts`)],
      outfile: path.join(folder, `${name}.js`),
      bundle: true,
      minify: true,
      legalComments: "linked",
      format,
      target: "es2022",
      logLevel: "error",
      absWorkingDir: HERE,
      metafile: true,
    });
    inputs.push(...Object.keys(metafile.inputs).map((input) => path.join(HERE, input)));
  }
  await copyFiles(SOURCES, folder, ["index.html", "style.css"]);
  await copyFiles(WASM, path.join(folder, "wasm"), WASM_FILES);
  return inputs;
}

/** The service worker knows the build by a checksum of all its files, so that a changed file is a new build. */
async function writeServiceWorker(folder) {
  const files = (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
    .sort();
  const checksum = createHash("sha256");
  for (const file of files) checksum.update(file).update(await readFile(path.join(folder, file)));
  const own = files.filter((file) => !path.dirname(file) || path.dirname(file) === ".");
  const constants = { BUILD: checksum.digest("hex").slice(0, 16), PAGE: ["./", ...own, MADE_BY_US] };
  const lines = Object.entries(constants).map(([name, value]) => `const ${name} = ${JSON.stringify(value)};\n`);
  await writeFile(
    path.join(folder, "service-worker.js"),
    lines.join("") + (await readFile(path.join(SOURCES, "service-worker.js"), "utf8")),
  );
}

async function copyFiles(from, to, names) {
  await mkdir(to, { recursive: true });
  for (const name of names) await cp(path.join(from, name), path.join(to, name));
}
