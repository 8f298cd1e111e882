/** Measures the cost of ranking copies: time and allocated bytes, by JMH. */
@NullMarked
package dev.weir.bench.selection;

import org.jspecify.annotations.NullMarked;
