import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { loadEnv, type Plugin } from 'vite';
import { defineConfig } from 'vitest/config';

/** The server that `npm run dev` forwards requests to. */
const server = loadEnv('', '.', 'MINISMITH_')['MINISMITH_URL'] ?? 'http://127.0.0.1:8000';

/** Writes a gzip copy of each built text file: the server contains only that, and sends it as it is. */
function gzipCopies(): Plugin {
  let out = '';
  return {
    name: 'gzip-copies',
    apply: 'build',
    configResolved: (config) => void (out = `${config.root}/${config.build.outDir}`),
    // The last hook: by then the files from `public` are in place too.
    closeBundle() {
      for (const name of readdirSync(out, { recursive: true }).map(String)) {
        if (!/\.(html|js|css|svg|webmanifest)$/.test(name)) continue;
        writeFileSync(`${out}/${name}.gz`, gzipSync(readFileSync(`${out}/${name}`), { level: 9 }));
      }
    },
  };
}

export default defineConfig({
  plugins: [gzipCopies()],
  esbuild: { jsx: 'automatic', jsxImportSource: 'preact' },
  build: {
    target: 'es2022',
    // Every asset is a separate file: the page's content security policy permits only inline styles.
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
