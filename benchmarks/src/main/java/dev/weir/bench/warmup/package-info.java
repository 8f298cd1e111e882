/** How fast a node is that has just come back, with the warm-up of new copies and without. */
@NullMarked
package dev.weir.bench.warmup;

import org.jspecify.annotations.NullMarked;
