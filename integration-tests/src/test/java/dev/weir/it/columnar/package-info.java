/** Answers by columns, beside the plain answers to the same searches. */
@NullMarked
package dev.weir.it.columnar;

import org.jspecify.annotations.NullMarked;
