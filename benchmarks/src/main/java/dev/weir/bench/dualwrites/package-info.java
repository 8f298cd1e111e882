/** The cost of dual writes and of their intent log. */
@NullMarked
package dev.weir.bench.dualwrites;

import org.jspecify.annotations.NullMarked;
