@NullMarked
package dev.weir.bench.bulk;

import org.jspecify.annotations.NullMarked;
