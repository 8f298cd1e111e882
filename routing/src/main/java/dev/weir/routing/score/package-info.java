/** Formulas that score nodes: pure, total, monotonic in each input. */
@NullMarked
package dev.weir.routing.score;

import org.jspecify.annotations.NullMarked;
