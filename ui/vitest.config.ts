import solid from 'vite-plugin-solid';
import { defineConfig } from 'vitest/config';

// Where a ring wants to know how long each test took.
const reports = process.env.RILLCAST_REPORTS;

export default defineConfig({
  plugins: [solid()],
  test: {
    // Most of a test file's time is the building of its world; threads share what they loaded for it.
    pool: 'vmThreads',
    maxWorkers: '100%',
    reporters: reports ? ['default', ['junit', { outputFile: `${reports}/ui.xml` }]] : ['default'],
    environment: 'jsdom',
    environmentOptions: { jsdom: { url: 'http://localhost/' } },
    include: ['tests/**/*.test.{ts,tsx}'],
    // A busy machine is no failure.
    testTimeout: 30_000,
    // Only for tests that read style sheets.
    css: { include: [/tokens\.css/, /\.css\?raw/] },
    restoreMocks: true,
    unstubGlobals: true,
  },
});
