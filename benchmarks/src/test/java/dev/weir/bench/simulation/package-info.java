@NullMarked
package dev.weir.bench.simulation;

import org.jspecify.annotations.NullMarked;
