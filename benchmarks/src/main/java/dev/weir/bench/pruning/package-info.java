/** Measures what leaving out indices by time saves in a search of many daily indices. */
@NullMarked
package dev.weir.bench.pruning;

import org.jspecify.annotations.NullMarked;
