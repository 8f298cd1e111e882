/**
 * Measures Weir in comparison with its peers, on real data nodes. Every path does the same work in
 * the same run, in turns, and the result is the ratio between paths. Each benchmark runs on the
 * main thread.
 */
@NullMarked
package dev.weir.bench;

import org.jspecify.annotations.NullMarked;
