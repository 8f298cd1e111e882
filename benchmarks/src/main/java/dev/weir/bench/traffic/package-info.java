/**
 * Measures the cost of several clusters behind one gateway for clients that only search or write.
 */
@NullMarked
package dev.weir.bench.traffic;

import org.jspecify.annotations.NullMarked;
