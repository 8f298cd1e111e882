/** Columnar responses, compared with the plain responses to the same searches. */
@NullMarked
package dev.weir.it.columnar;

import org.jspecify.annotations.NullMarked;
