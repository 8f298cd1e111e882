/** Measures what authorization adds to a request whose user and rights are cached: by JMH. */
@NullMarked
package dev.weir.bench.authorization;

import org.jspecify.annotations.NullMarked;
