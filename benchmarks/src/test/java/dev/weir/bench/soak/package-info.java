@NullMarked
package dev.weir.bench.soak;

import org.jspecify.annotations.NullMarked;
