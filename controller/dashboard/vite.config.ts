import { loadEnv } from 'vite';
import { defineConfig } from 'vitest/config';

/** Where `npm run dev` finds a server that runs. */
const server = loadEnv('', '.', 'MINISMITH_')['MINISMITH_URL'] ?? 'http://127.0.0.1:8000';

export default defineConfig({
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
