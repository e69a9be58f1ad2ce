// Bundles src/ and three.js to one classic script, which pages have inline: npm ci && npm run build
import { createHash } from "node:crypto";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build, transform } from "esbuild";

const OUT = "../assembly_solver/report/viewer/viewer.bundle.js";
const read = (path) => readFileSync(new URL(path, import.meta.url), "utf8");

/** What the bundle is made of: a test holds it to the sources that stand beside it. */
const sources = ["package-lock.json", ...readdirSync(new URL("src", import.meta.url)).map((name) => join("src", name))].sort();
const key = createHash("sha256").update(sources.map((name) => name + "\n" + read(name)).join("\n")).digest("hex");

const styles = {
  name: "styles as text",
  setup(it) {
    it.onLoad({ filter: /\.css$/ }, async ({ path }) => {
      const { code } = await transform(readFileSync(path, "utf8"), { loader: "css", minify: true, target: "es2020" });
      return { contents: code, loader: "text" };
    });
  },
};
const { outputFiles } = await build({
  absWorkingDir: new URL(".", import.meta.url).pathname,
  entryPoints: ["src/main.js"],
  bundle: true,
  minify: true,
  charset: "utf8",
  target: "es2020",
  format: "iife",
  globalName: "assemblySolverViewer",
  legalComments: "none", // the whole licence stands at the top
  plugins: [styles],
  write: false,
});
const code = outputFiles[0].text.replace(/<\/(script)/gi, "<\\/$1").replace(/<!--/g, "<\\!--");
const licence = read("node_modules/three/LICENSE").trim();
const top = `/* Made by web/build.mjs from sources ${key}\n\nIt contains three.js:\n\n${licence}\n*/\n`;
writeFileSync(new URL(OUT, import.meta.url), top + code);
console.log(`${OUT}: ${Math.round((top.length + code.length) / 1024)} kB`);
