/**
 * System benchmarks beside peers, on real data nodes: every path does the same work in the same
 * run, interleaved, and what counts is the ratio between them.
 */
@NullMarked
package dev.weir.bench;

import org.jspecify.annotations.NullMarked;
