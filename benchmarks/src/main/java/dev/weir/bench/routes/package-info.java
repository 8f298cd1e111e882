/** Measures the cost of finding a request's route among many: time and allocated bytes, by JMH. */
@NullMarked
package dev.weir.bench.routes;

import org.jspecify.annotations.NullMarked;
