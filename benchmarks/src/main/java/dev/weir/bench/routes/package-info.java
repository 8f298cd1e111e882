/** What finding a request's route among many costs: time and bytes allocated, by JMH. */
@NullMarked
package dev.weir.bench.routes;

import org.jspecify.annotations.NullMarked;
