/** What an answer costs, and how many bytes it has, by size, shape and form. */
@NullMarked
package dev.weir.bench.responses;

import org.jspecify.annotations.NullMarked;
