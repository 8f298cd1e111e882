/** The formulas that copies are ranked by: pure, total, monotonic in each input. */
@NullMarked
package dev.weir.routing.score;

import org.jspecify.annotations.NullMarked;
