import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { loadEnv, type Plugin } from 'vite';
import { defineConfig } from 'vitest/config';

/** Where `npm run dev` finds a server that runs. */
const server = loadEnv('', '.', 'MINISMITH_')['MINISMITH_URL'] ?? 'http://127.0.0.1:8000';

/** Texts of more than this many bytes are worth squeezing. */
const WORTH = 1000;

/** Beside each text that is built, the same squeezed, so that the server has nothing to do but to send it. */
function squeezed(): Plugin {
  let out = '';
  return {
    name: 'squeezed',
    apply: 'build',
    configResolved: (config) => void (out = `${config.root}/${config.build.outDir}`),
    // The last of all hooks: what lies in `public` is there too by then.
    closeBundle() {
      for (const name of readdirSync(out, { recursive: true }).map(String)) {
        if (!/\.(html|js|css|svg|webmanifest)$/.test(name)) continue;
        const text = readFileSync(`${out}/${name}`);
        if (text.length > WORTH) writeFileSync(`${out}/${name}.gz`, gzipSync(text, { level: 9 }));
      }
    },
  };
}

export default defineConfig({
  plugins: [squeezed()],
  esbuild: { jsx: 'automatic', jsxImportSource: 'preact' },
  build: {
    target: 'es2022',
    // Every asset is a file of its own: the page's policy takes nothing inline but styles.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 800,
  },
  server: {
    proxy: Object.fromEntries(
      ['/api', '/health', '/metrics', '/docs'].map((path) => [
        path,
        { target: server, changeOrigin: true, ws: true },
      ]),
    ),
  },
  test: { include: ['tests/**/*.test.ts'] },
});
