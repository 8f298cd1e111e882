/**
 * Measures how the gateway follows a large cluster: the cost of reading its state and of a change,
 * the resolution of names over thousands of indices, and the heap that views take.
 */
@NullMarked
package dev.weir.bench.state;

import org.jspecify.annotations.NullMarked;
